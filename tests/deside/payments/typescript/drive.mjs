// Signs with the official buyer what each PaymentRequired asks for, and prints the payments in base64, one a line.
// stdin: {"secretKey": [64 numbers], "rpc": "http://…", "quotes": [{…}]}
import { createKeyPairSignerFromBytes } from "@solana/kit";
import { x402Client } from "@x402/core/client";
import { encodePaymentSignatureHeader } from "@x402/core/http";
import { toClientSvmSigner } from "@x402/svm";
import { ExactSvmScheme } from "@x402/svm/exact/client";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { secretKey, rpc, quotes } = JSON.parse(Buffer.concat(chunks).toString());

const signer = toClientSvmSigner(await createKeyPairSignerFromBytes(new Uint8Array(secretKey)));
const client = new x402Client().register("solana:*", new ExactSvmScheme(signer, { rpcUrl: rpc }));
for (const required of quotes) {
  console.log(encodePaymentSignatureHeader(await client.createPaymentPayload(required)));
}
