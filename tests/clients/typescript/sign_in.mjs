// Signs in to an MCP server through an official TypeScript client and calls tools. Lines of JSON go both ways.
//
// first line in:  {client: "sdk" | "client", url, redirectUri, steps: [{tool, arguments}]}
// lines out:      {authorize: url} for each page that a person is to be sent to, {results: [...]} at the end
// lines in:       {code, iss?}: what the person came back with

import { createInterface } from "node:readline";

const LIBRARIES = {
  sdk: async () => ({
    ...(await import("@modelcontextprotocol/sdk/client/index.js")),
    ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
    ...(await import("@modelcontextprotocol/sdk/client/auth.js")),
  }),
  client: () => import("@modelcontextprotocol/client"),
};

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const heard = async () => JSON.parse((await lines.next()).value);
const say = (value) => console.log(JSON.stringify(value));

// What an application keeps, and how it sends a person to a page.
function provider(redirectUri) {
  const kept = {};
  return {
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: "official",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    redirectToAuthorization: (url) => say({ authorize: url.href }),
  };
}

const { client: name, url, redirectUri, steps } = await heard();
const library = await LIBRARIES[name]();
const authProvider = provider(redirectUri);

// Does the work; where it needs a person, sends them, and does it once more.
async function signedIn(transport, work, again = work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof library.UnauthorizedError)) throw error;
    const { code, iss } = await heard();
    await transport.finishAuth(code, iss);
    return again();
  }
}

// A connection that was refused cannot be opened again: another one is made.
async function connected() {
  const client = new library.Client({ name: "accord-tests", version: "1" });
  const transport = new library.StreamableHTTPClientTransport(new URL(url), { authProvider });
  return signedIn(
    transport,
    async () => {
      await client.connect(transport);
      return { client, transport };
    },
    connected,
  );
}

const { client, transport } = await connected();
const results = [];
for (const { tool, arguments: given } of steps) {
  const call = () => client.callTool({ name: tool, arguments: given });
  const { structuredContent, isError } = await signedIn(transport, call);
  results.push({ ...structuredContent, isError: isError ?? false });
}
await client.close();
say({ results });
process.exit(0);
