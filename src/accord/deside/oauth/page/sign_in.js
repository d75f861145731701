"use strict";
// Finds the wallets of this browser, lets one sign the challenge, and sends what it signed. Needs nothing else.
const form = document.getElementById("form");
const part = (id) => document.getElementById(id);
const message = `Domain: ${form.dataset.domain}\nNonce: ${form.dataset.nonce}`;
const until = Date.now() + Number(form.dataset.seconds) * 1000;
const bytes = new TextEncoder().encode(message);
const offered = new Map();
part("text").textContent = message;

const DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
function base58(data) {
  let text = "", rest = 0n;
  for (const byte of data) rest = rest * 256n + BigInt(byte);
  for (; rest > 0n; rest /= 58n) text = DIGITS[Number(rest % 58n)] + text;
  for (const byte of data) { if (byte !== 0) break; text = "1" + text; }
  return text;
}

function again(label, act) {
  const button = part("again");
  button.textContent = label;
  button.onclick = act;
  button.hidden = false;
}

function isOver() {
  if (Date.now() < until) return false;
  for (const id of ["wallets", "none"]) part(id).hidden = true;
  part("over").hidden = false;
  say("");
  again("Take a new challenge", () => location.reload());
  return true;
}

function say(text, isBad = false) {
  part("status").textContent = text;
  part("status").classList.toggle("note", isBad);
}

function busy(is) {
  for (const button of part("wallets").children) button.disabled = is;
}

async function signIn(name, sign) {
  if (isOver()) return;
  busy(true);
  say(`Go on in ${name}: it asks you to sign.`);
  try {
    const signed = await sign();
    if (isOver()) return;
    form.elements.wallet.value = signed.wallet;
    form.elements.signature.value = base58(new Uint8Array(signed.signature));
    form.elements.message.value = message;
    say("Signed. Taking you back…");
    form.submit();
  } catch (error) {
    busy(false);
    const said = String(error?.message ?? error);
    const declined = error?.code === 4001 || /reject|declin|denied|cancel/i.test(said);
    say(declined
      ? `You declined in ${name}, so nothing was signed. Try again, or cancel to go back.`
      : `${name} could not sign: ${said.slice(0, 200)}`, true);
    isOver();
  }
}

function offer(name, icon, sign) {
  if (offered.has(name)) return;
  offered.set(name, sign);
  const button = document.createElement("button");
  button.type = "button";
  if (typeof icon === "string" && icon.startsWith("data:image/")) {
    const image = document.createElement("img");
    image.src = icon;
    image.alt = "";
    button.append(image);
  }
  button.append(`Sign in with ${name}`);
  button.addEventListener("click", () => signIn(name, sign));
  part("wallets").append(button);
  part("none").hidden = part("again").hidden = true;
  if (offered.size === 1) button.focus({ preventScroll: true });
}

// The Wallet Standard: either side may come first.
function register(...wallets) {
  for (const wallet of wallets) {
    const connect = wallet.features?.["standard:connect"], signer = wallet.features?.["solana:signMessage"];
    if (!connect || !signer) continue;
    offer(wallet.name, wallet.icon, async () => {
      const { accounts } = await connect.connect();
      const account = accounts.find((one) => one.features?.includes("solana:signMessage")) ?? accounts[0];
      if (!account) throw new Error("it gave no account");
      const [{ signature }] = await signer.signMessage({ account, message: bytes });
      return { wallet: account.address, signature };
    });
  }
  return () => {};
}
window.addEventListener("wallet-standard:register-wallet", (event) => event.detail({ register }));
window.dispatchEvent(new CustomEvent("wallet-standard:app-ready", { detail: { register } }));

// Older ways: an object that the wallet puts into the page.
function lookAround() {
  const own = window.solana;
  const named = own?.isPhantom ? "Phantom" : own?.isSolflare ? "Solflare" : own?.isBackpack ? "Backpack" : "your wallet";
  const found = { Phantom: window.phantom?.solana, Solflare: window.solflare, Backpack: window.backpack, [named]: own };
  for (const [name, provider] of Object.entries(found)) {
    if (typeof provider?.signMessage !== "function") continue;
    offer(name, undefined, async () => {
      const connected = await provider.connect();
      const wallet = String(connected?.publicKey ?? provider.publicKey);
      const signed = await provider.signMessage(bytes, "utf8");
      return { wallet, signature: signed.signature ?? signed };
    });
  }
}
lookAround();
window.addEventListener("load", lookAround);

setTimeout(() => {
  lookAround();
  if (offered.size > 0 || isOver()) return;
  part("none").hidden = false;
  again("Look again", () => location.reload());
}, 1200);

setInterval(() => {
  const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
  part("left").textContent = seconds ? `It is good for ${seconds} more seconds.` : "It has run out.";
  if (!part("status").textContent.startsWith("Signed")) isOver();
}, 1000);
