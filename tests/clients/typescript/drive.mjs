// Drives an MCP server through an official TypeScript client: a plan on stdin, what came of each step on stdout.
//
// plan:    {client: "sdk" | "client", era: "2025" | "2026", server: {command, args, env} | {url, token}, steps}
// steps:   {do: "call", tool, arguments} | {do: "end_session"} | {do: "connect"}
// answer:  {era, checked, outcomes}: the era agreed upon, the tools that have an output schema to check results by, and
//          a word a step: "ok", the code of a tool's error, "HTTP <status>", or why the client refused the answer

import { json } from "node:stream/consumers";

const LIBRARIES = {
  // The 1.x line: the handshake era only; it holds errors as well as results against a tool's output schema.
  sdk: async () => {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { StreamableHTTPClientTransport, StreamableHTTPError } = await import(
      "@modelcontextprotocol/sdk/client/streamableHttp.js"
    );
    const httpStatus = (error) => (error instanceof StreamableHTTPError ? error.code : undefined);
    return { Client, StdioClientTransport, StreamableHTTPClientTransport, httpStatus };
  },
  // The 2.x line: both eras; it holds results against a tool's output schema, and takes errors as they are.
  client: async () => {
    const { Client, SdkHttpError, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const httpStatus = (error) => (error instanceof SdkHttpError ? error.status : undefined);
    return { Client, StdioClientTransport, StreamableHTTPClientTransport, httpStatus };
  },
};

const NEGOTIATION = { 2025: "legacy", 2026: "auto" };
const ERAS = { legacy: "2025", modern: "2026" };

const STEPS = {
  call: async ({ client }, { tool, arguments: given }) => {
    const result = await client.callTool({ name: tool, arguments: given });
    const { code, payload_hash, approval_id } = result.structuredContent ?? {};
    // A payload is shown first, and sent with the approval that its preview brings.
    if (code === "PAYLOAD_CONFIRMATION_REQUIRED" && given.__confirm !== false) {
      const approval = { __confirm: true, __confirm_hash: payload_hash, __confirm_id: approval_id };
      return STEPS.call({ client }, { tool, arguments: { ...given, ...approval } });
    }
    return result.isError ? code : "ok";
  },
  // As if the session ended on the server: the client's own terminateSession() would forget the id as well.
  end_session: async ({ transport, server }) => {
    const headers = { ...authorization(server), "mcp-session-id": transport.sessionId };
    const response = await fetch(server.url, { method: "DELETE", headers });
    return response.ok ? "ok" : `HTTP ${response.status}`;
  },
  connect: async (driven) => {
    await driven.client.close();
    Object.assign(driven, await connected(driven));
    return "ok";
  },
};

const authorization = ({ token }) => ({ authorization: `Bearer ${token}` });

const transportTo = (server, { StdioClientTransport, StreamableHTTPClientTransport }) =>
  server.url
    ? new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: authorization(server) } })
    : new StdioClientTransport(server);

// A client checks results only after it has seen the list of tools.
async function connected({ library, era, server }) {
  const options = { versionNegotiation: { mode: NEGOTIATION[era] } };
  const client = new library.Client({ name: "accord-tests", version: "1" }, options);
  const transport = transportTo(server, library);
  await client.connect(transport);
  const { tools } = await client.listTools();
  return { client, transport, tools };
}

async function outcome(driven, step) {
  try {
    return await STEPS[step.do](driven, step);
  } catch (error) {
    const status = driven.library.httpStatus(error);
    return status === undefined ? error.message : `HTTP ${status}`;
  }
}

const { client, steps, ...plan } = await json(process.stdin);
const library = await LIBRARIES[client]();
const driven = { library, ...plan, ...(await connected({ library, ...plan })) };
const outcomes = [];
for (const step of steps) {
  outcomes.push(await outcome(driven, step));
}
const checked = driven.tools.filter((tool) => tool.outputSchema).map((tool) => tool.name);
const era = ERAS[driven.client.getProtocolEra?.() ?? "legacy"]; // the 1.x line knows but one
await driven.client.close();
console.log(JSON.stringify({ era, checked, outcomes }));
