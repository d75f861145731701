// Takes Chromium through one sign-in, as the plan on stdin says, and prints what happened.
import { createServer } from "node:http";
import { generateKeyPairSync, sign } from "node:crypto";
import { text } from "node:stream/consumers";
import { chromium } from "playwright-core";

const FLAGS = [
  "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--no-sandbox",
];
const plan = JSON.parse(await text(process.stdin));

// --- The wallet: its key stays here, the page gets an object that asks for signatures.

const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
function base58(bytes) {
  let number = BigInt("0x" + Buffer.from(bytes).toString("hex")), out = "";
  for (; number > 0n; number /= 58n) out = DIGITS[Number(number % 58n)] + out;
  return "1".repeat(bytes.findIndex((byte) => byte !== 0)) + out;
}
const keys = generateKeyPairSync("ed25519");
const address = base58(keys.publicKey.export({ type: "spki", format: "der" }).subarray(-32));
const asked = [];

const WALLETS = {
  none: () => {},
  // https://github.com/wallet-standard/wallet-standard: the wallet may come before the page, or after it.
  standard: ({ address }) => {
    const icon = "data:image/svg+xml;base64," + btoa('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1" fill="#14b892"/></svg>');
    const account = { address, features: ["solana:signMessage"] };
    const wallet = {
      name: "Test Wallet", icon, accounts: [],
      features: {
        "standard:connect": { connect: async () => ({ accounts: [account] }) },
        "solana:signMessage": {
          signMessage: async ({ message }) => [{ signature: new Uint8Array(await window.signs([...message])) }],
        },
      },
    };
    const register = (api) => api.register(wallet);
    window.addEventListener("wallet-standard:app-ready", (event) => register(event.detail));
    window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
  },
  injected: ({ address }) => {
    window.solana = {
      isPhantom: true,
      connect: async () => ({ publicKey: { toString: () => address } }),
      signMessage: async (message) => ({ signature: new Uint8Array(await window.signs([...message])) }),
    };
  },
  declining: ({ address }) => {
    window.solana = {
      connect: async () => ({ publicKey: { toString: () => address } }),
      signMessage: async () => { throw Object.assign(new Error("User rejected the request."), { code: 4001 }); },
    };
  },
};

// --- The client: it registers, and takes the person back.

const calls = [];
const landing = createServer((_, answer) => answer.end("landed")).listen(0, "127.0.0.1");
const client = createServer((request, answer) => {
  const { pathname, searchParams } = new URL(request.url, "http://client");
  if (pathname !== "/callback") return answer.writeHead(404).end();
  calls.push({ ...Object.fromEntries(searchParams), referrer: request.headers.referer ?? null });
  answer.writeHead(302, { location: `http://localhost:${landing.address().port}/landed` }).end();
}).listen(0, "127.0.0.1");
await Promise.all([landing, client].map((server) => new Promise((done) => server.once("listening", done))));
const redirectUri = `http://127.0.0.1:${client.address().port}/callback`;
const registered = await (await fetch(`${plan.base}/oauth/register`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ client_name: plan.name, redirect_uris: [redirectUri], scope: plan.scope }),
})).json();
const link = `${plan.base}/oauth/authorize?` + new URLSearchParams({
  response_type: "code", client_id: registered.client_id, redirect_uri: redirectUri, scope: plan.scope,
  code_challenge: plan.challenge, code_challenge_method: "S256", state: plan.state,
});

// --- The person, and what is seen.

const browser = await chromium.launch({ executablePath: plan.chromium, args: FLAGS });
const context = await browser.newContext({
  colorScheme: plan.dark ? "dark" : "light", viewport: { width: plan.width ?? 900, height: plan.height ?? 800 },
});
const page = await context.newPage();
const said = [], elsewhere = [], dialogs = [];
page.on("console", (line) => said.push(line.text()));
page.on("pageerror", (error) => said.push(String(error)));
page.on("dialog", (dialog) => { dialogs.push(dialog.message()); dialog.dismiss(); });
page.on("request", (request) => {
  const url = new URL(request.url());
  if (url.protocol !== "data:" && !["127.0.0.1", "localhost"].includes(url.hostname)) elsewhere.push(request.url());
});
await page.exposeFunction("signs", (bytes) => {
  asked.push(Buffer.from(bytes).toString());
  return [...sign(null, Buffer.from(bytes), keys.privateKey)];
});
await page.addInitScript(WALLETS[plan.wallet], { address });
if (plan.steps.includes("wait a minute")) await page.clock.install();

const STEPS = {
  "press enter": () => page.keyboard.press("Enter"),
  "click sign in": () => page.getByRole("button", { name: /^Sign in with/ }).click(),
  "click again": () => page.locator("#again").click(),
  "click cancel": () => page.getByRole("link", { name: "Cancel" }).click(),
  "see no wallet": () => page.locator("#none").waitFor({ state: "visible" }),
  "see declined": () => page.getByText("You declined").waitFor(),
  "see the end": () => page.waitForURL(/\/landed$/),
  "wait a minute": () => page.clock.runFor(61_000),
  "see it run out": () => page.locator("#over").waitFor({ state: "visible" }),
  "see it good": () => page.locator("#over").waitFor({ state: "hidden" }),
  "open the details": () => page.locator("summary").click(),
  "look": async () => { if (plan.picture) await page.screenshot({ path: plan.picture }); texts.push(await page.innerText("body")); },
};
const texts = [];
const answer = await page.goto(plan.link ?? link);
for (const step of plan.steps) await STEPS[step]();
await browser.close();
for (const server of [client, landing]) { server.closeAllConnections(); server.close(); }
process.stdout.write(JSON.stringify({
  status: answer.status(), texts, said, elsewhere, dialogs, calls, asked, address,
  client_id: registered.client_id, redirect_uri: redirectUri,
}));
