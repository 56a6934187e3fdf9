/**
 * A signer for the launch wallet: a program that `tokend` starts for each signature.
 *
 *     LAUNCH_SIGNER="/usr/bin/bun /opt/tokend/launch-signer.ts /etc/tokend/launch.json" tokend
 *
 * Replace the keypair file by a key service, or start the program with rights of its own (by `sudo -u`):
 * then the server cannot read the key. Standard input is one JSON object, standard output its answer:
 *
 *     {"method": "publicKey"}                                → {"publicKey": "base58"}
 *     {"method": "sign", "publicKey", "message", "purpose"}  → {"signature": "base64"}
 *                                                         or → {"error": "why not"}
 *
 * `message` is a transaction's message in base64. `purpose` is what it is for; those in SIGNS_FOR are
 * signed.
 */
import { readFile } from "node:fs/promises";
import { json } from "node:stream/consumers";
import { keypairSigner } from "@tokenctl/sdk";

const SIGNS_FOR: readonly unknown[] = ["launch", "claim"];

const [keypairFile = ""] = process.argv.slice(2);
const wallet = keypairSigner(await readFile(keypairFile, "utf8"));
const request = Object(await json(process.stdin)) as Record<string, unknown>;
console.log(JSON.stringify(await answer()));

async function answer(): Promise<Record<string, string>> {
  const { method, publicKey, purpose, message } = request;
  if (method === "publicKey") return { publicKey: wallet.publicKey };
  if (method !== "sign") return { error: `there is no method ${method}` };
  if (publicKey !== wallet.publicKey) return { error: "this is not the key's wallet" };
  if (!SIGNS_FOR.includes(purpose)) return { error: `does not sign for ${purpose}` };
  const signature = await wallet.signMessage(Buffer.from(String(message), "base64"));
  return { signature: Buffer.from(signature).toString("base64") };
}
