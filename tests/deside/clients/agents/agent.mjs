// An agent of the wallet contract, in one of its two generations: it signs in, calls tools, and may wait for a push.
// It takes nothing but what the contract's table of steps lists, and ends with 1 at the first thing that is otherwise.
//
// environment:  GENERATION=july|august, MCP_BASE_URL, AGENT_SECRET_KEY_B58, OAUTH_SCOPE (dm:read dm:write),
//               LIST_LIMIT and READ_LIMIT (20); TO_WALLET and TEXT: send; with MINI_AGENT_LLM_FREE=1, what a model says
//               instead of TEXT; WATCH_PUSH=1: wait for a push
// stdout:       a line of JSON for each step that others may wait for ({"step": "watching"}), the outcome as the last

import { createHash, randomBytes } from "node:crypto";
import bs58 from "bs58";
import nacl from "tweetnacl";

const {
  GENERATION,
  MCP_BASE_URL,
  AGENT_SECRET_KEY_B58,
  OAUTH_SCOPE = "dm:read dm:write",
  LIST_LIMIT = "20",
  READ_LIMIT = "20",
  TO_WALLET,
  TEXT = "hello",
  MINI_AGENT_LLM_FREE,
  WATCH_PUSH,
} = process.env;

const REDIRECT_URI = `${MCP_BASE_URL}/mini-agent/callback`;
const JSON_TYPE = { "content-type": "application/json" };
const BOTH = "application/json, text/event-stream";

const say = (step) => console.log(JSON.stringify(step));

function must(holds, what, found) {
  if (!holds) throw new Error(`${what}, not ${JSON.stringify(found)}`);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string" && value.length > 0;
const isCount = (value) => Number.isInteger(value) && value > 0;

const keys = (() => {
  const secret = bs58.decode(AGENT_SECRET_KEY_B58);
  return secret.length === 32 ? nacl.sign.keyPair.fromSeed(secret) : nacl.sign.keyPair.fromSecretKey(secret);
})();
const wallet = bs58.encode(keys.publicKey);

// --- HTTP, as these agents use it: a content type on every request, no redirect followed, no protocol version ----------

const post = (url, body, headers = {}) =>
  fetch(url, { method: "POST", headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body), redirect: "manual" });

const get = (url, headers = {}) => fetch(url, { headers: { ...JSON_TYPE, ...headers }, redirect: "manual" });

function absolute(response, what) {
  must(response.status === 302, `${what} is a redirect`, response.status);
  const location = response.headers.get("location");
  must(location !== null && URL.canParse(location), `${what} has an absolute location`, location);
  return new URL(location);
}

async function json(response, status, what) {
  const text = await response.text();
  must(response.status === status, `${what} is answered ${status}`, [response.status, text]);
  return JSON.parse(text);
}

// --- Signing in ---------------------------------------------------------------------------------------------------------

async function signIn() {
  const name = `${GENERATION} agent`;
  const registration = { client_name: name, redirect_uris: [REDIRECT_URI], scope: OAUTH_SCOPE };
  const client = await json(await post(`${MCP_BASE_URL}/oauth/register`, registration), 200, "a registration");
  must(isText(client.client_id), "a registration brings a client_id", client);

  const verifier = randomBytes(48).toString("base64url");
  const state = randomBytes(16).toString("base64url");
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    scope: OAUTH_SCOPE,
    state,
  });
  const page = absolute(await get(`${MCP_BASE_URL}/oauth/authorize?${query}`), "authorize");
  must(page.pathname === "/oauth/wallet-challenge", "authorize leads to the challenge", page.pathname);
  must(isText(page.searchParams.get("state")), "the challenge has a state", page.search);
  must(page.searchParams.get("client_id") === client.client_id, "the challenge names its client", page.search);

  const challenge = await json(await get(page), 200, "a challenge");
  must(isText(challenge.nonce) && isText(challenge.domain), "a challenge has a nonce and a domain", challenge);
  must(isText(challenge.state), "a challenge has a state", challenge);
  must(challenge.message_format === "Domain: {domain}\nNonce: {nonce}", "a challenge has its form", challenge);
  must(challenge.expires_in === 60, "a challenge is good for a minute", challenge);

  const message = `Domain: ${challenge.domain}\nNonce: ${challenge.nonce}`;
  const signature = bs58.encode(nacl.sign.detached(new TextEncoder().encode(message), keys.secretKey));
  const signed = { wallet, signature, message, state: challenge.state };
  const back = absolute(await post(`${MCP_BASE_URL}/oauth/wallet-challenge`, signed), "a signed challenge");
  must(back.href.startsWith(`${REDIRECT_URI}?`), "the code comes to the redirect URI", back.href);
  must(isText(back.searchParams.get("code")), "a signed challenge brings a code", back.search);
  must(back.searchParams.get("state") === state, "the code comes with the client's state", back.search);

  const exchange = {
    grant_type: "authorization_code",
    code: back.searchParams.get("code"),
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  };
  const granted = await json(await post(`${MCP_BASE_URL}/oauth/token`, exchange), 200, "a code");
  must(isText(granted.access_token) && isText(granted.refresh_token), "a code brings both tokens", Object.keys(granted));
  must(granted.token_type === "Bearer" && isCount(granted.expires_in), "a token has its type and life", granted);
  must(granted.scope === OAUTH_SCOPE, "a token has the scope that was asked for", granted.scope);
  return granted.access_token;
}

// --- MCP ----------------------------------------------------------------------------------------------------------------

const endpoint = `${MCP_BASE_URL}/mcp`;
const bearer = (token) => (token ? { authorization: `Bearer ${token}` } : {});
const inSession = ({ session, token }) => ({ "mcp-session-id": session, ...bearer(token) });

// An object as JSON, or one event.
function messageOf(text) {
  if (!text.startsWith("event: message")) return JSON.parse(text);
  return JSON.parse(text.slice(text.indexOf("data: ") + "data: ".length));
}

async function initialize(token) {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: `${GENERATION} agent`, version: "1" },
  };
  const hello = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const response = await post(endpoint, hello, { accept: BOTH, ...bearer(token) });
  if (GENERATION === "august" && response.status === 409) {
    const conflict = await response.json();
    must(conflict.error === "session_conflict", "a conflict says so", conflict);
    must(isText(conflict.active_session_id), "a conflict names the session", conflict);
    return { session: conflict.active_session_id, adopted: true };
  }
  const { result } = messageOf(await response.text());
  must(response.status === 200, "initialize is answered 200", response.status);
  must(result.protocolVersion === params.protocolVersion, "the version is agreed upon", result);
  const session = response.headers.get("mcp-session-id");
  must(isText(session), "initialize brings an mcp-session-id", session);
  const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
  const noted = await post(endpoint, ready, { accept: BOTH, ...inSession({ session, token }) });
  must(noted.status === 202, "a notification is taken", noted.status);
  await noted.text();
  return { session, adopted: false };
}

async function call(agent, id, name, args) {
  const request = { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } };
  const response = await post(endpoint, request, { accept: BOTH, ...inSession(agent) });
  const text = await response.text();
  must(response.status === 200, `${name} is answered 200`, [response.status, text]);
  const { result, id: answered } = messageOf(text);
  must(answered === id, `the answer to ${name} has its id`, answered);
  must(isObject(result) && !result.isError, `${name} succeeds`, result);
  must(isObject(result.structuredContent), `${name} has structured content`, result);
  return result.structuredContent;
}

// The first push, from blocks that end in an empty line.
async function* pushes(response) {
  let left = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (left + chunk).split("\n\n");
    left = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      if (lines[0].startsWith(":")) continue;
      must(lines[0] === "event: message" && lines[1].startsWith("data: "), "a push is an event", block);
      yield JSON.parse(lines[1].slice("data: ".length));
    }
  }
}

async function watched(agent) {
  const response = await get(endpoint, { accept: "text/event-stream", ...inSession(agent) });
  must(response.ok, "a stream opens", response.status);
  must(response.headers.get("content-type").startsWith("text/event-stream"), "it is one of events", response.headers);
  say({ step: "watching", wallet });
  for await (const push of pushes(response)) {
    if (push.method !== "notifications/dm_received") continue;
    const { convId, sender, preview, seq, isNewConversation, timestamp } = push.params;
    must(push.jsonrpc === "2.0" && push.id === undefined, "a push is a notification", push);
    must(convId === [wallet, sender].sort().join(":"), "a push names its conversation", push.params);
    must(isText(preview) && preview.length <= 100 && isCount(seq), "a push has a preview and a seq", push.params);
    must(typeof isNewConversation === "boolean" && isText(timestamp), "a push is complete", push.params);
    return push.params;
  }
  throw new Error("the stream ended before a push came");
}

// --- The steps -----------------------------------------------------------------------------------------------------------

const ORDERS = {
  // A session first, without a token; it is bound to the wallet by the first call.
  july: async () => {
    const { session, adopted } = await initialize(undefined);
    return { session, adopted, token: await signIn() };
  },
  // A token first; the session is bound from its beginning.
  august: async () => {
    const token = await signIn();
    return { ...(await initialize(token)), token };
  },
};

async function write(agent) {
  const convId = [wallet, TO_WALLET].sort().join(":");
  const before = await call(agent, 4, "read_dms", { conv_id: convId, limit: Number(READ_LIMIT) });
  must(Array.isArray(before.messages), "a conversation can be read before its first message", before);
  const sent = await call(agent, 5, "send_dm", { to_wallet: TO_WALLET, text: TEXT });
  must(sent.status === "delivered" && sent.convId === convId && isCount(sent.seq), "a message is delivered", sent);
  const { messages } = await call(agent, 6, "read_dms", { conv_id: convId, limit: Number(READ_LIMIT) });
  const [newest] = messages;
  must(newest.seq === sent.seq && newest.content === TEXT && newest.sender === wallet, "it is the newest", newest);
  must(isText(newest.sourceType) && isText(newest.createdAt), "it is complete", newest);
  return { before: before.messages.length, sent };
}

async function answer(agent) {
  const convId = [wallet, TO_WALLET].sort().join(":");
  const before = await call(agent, 4, "read_dms", { conv_id: convId, limit: Number(READ_LIMIT) });
  must(Array.isArray(before.messages), "a conversation can be read before its first message", before);
  const messages = [{ role: "user", content: "Say something." }];
  const asked = { model: "free", max_tokens: 128, temperature: 0.7, messages };
  const said = await call(agent, 5, "llm_complete", asked);
  must(isText(said.text) && isText(said.requestId) && said.requestId.startsWith("llm_"), "a model answers", said);
  must(isText(said.model) && isObject(said.usage) && "paymentReceipt" in said, "its answer is complete", said);
  const sent = await call(agent, 6, "send_dm", { to_wallet: TO_WALLET, text: said.text });
  must(sent.status === "delivered" && isCount(sent.seq), "a message is delivered", sent);
  return { before: before.messages.length, said: said.text, sent };
}

const agent = await ORDERS[GENERATION]();
const identity = await call(agent, 2, "get_my_identity", {});
must(identity.wallet === wallet && typeof identity.recognized === "boolean", "an identity is one's own", identity);
must("role" in identity && "visibleProfile" in identity && "agentProfile" in identity, "it is complete", identity);
const { conversations } = await call(agent, 3, "list_conversations", { limit: Number(LIST_LIMIT) });
must(Array.isArray(conversations), "conversations are listed", conversations);
const act = MINI_AGENT_LLM_FREE === "1" ? answer : write;
const written = TO_WALLET ? await act(agent) : {};
const push = WATCH_PUSH === "1" ? await watched(agent) : undefined;
say({ ok: true, wallet, adopted: agent.adopted, conversations: conversations.length, ...written, push });
process.exit(0);
