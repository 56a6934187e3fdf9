/**
 * Signs for the launch wallet, whose key is in a file of its own or in a key service. `tokend` posts
 * requests to it, as README.md describes.
 */
import { timingSafeEqual } from "node:crypto";
import { licenseText } from "@tokenctl/shared/license-text";
import { licenses } from "@tokenctl/shared/licenses";
import { readConfig } from "./config.ts";
import { type Key, openKey } from "./key.ts";
import { PURPOSES, type Rules, refusal } from "./policy.ts";

const MAX_REQUEST_BYTES = 16_384;

const USAGE = `Usage: launch-signer [file]

Signs for the launch wallet, as a configuration says: the key, what it signs, and the port and password
of \`listen\`. The file (default: launch-signer.json) is JSON that only this user can read.
\`launch-signer licenses\` prints the licences of what this program contains.`;

try {
  const [path = "launch-signer.json"] = process.argv.slice(2);
  if (["-h", "--help", "help"].includes(path)) console.log(USAGE);
  else if (path === "licenses") console.log(licenseText(licenses));
  else await serve(path);
} catch (error) {
  report(error);
  process.exitCode = 1;
}

async function serve(path: string): Promise<void> {
  const config = readConfig(path);
  listen(config.listen, await openKey(config.key), config.rules);
}

/** Prints only the error's message, because its other fields may contain secrets. */
function report(error: unknown): void {
  console.error(error instanceof Error ? error.message : "unknown error");
}

/** @throws {Error} if the key service fails. That is not a refusal, so the server asks again */
async function answer(body: string, { address, sign }: Key, rules: Rules) {
  const { method, publicKey, purpose: name, message } = Object(JSON.parse(body));
  if (method === "publicKey") return { publicKey: address };
  if (method !== "sign" && method !== "allows") return { error: `there is no method ${method}` };
  if (publicKey !== address) return { error: "this is not the key's wallet" };
  const purpose = PURPOSES.find((one) => one === name);
  if (!purpose || !rules.purposes.includes(purpose)) return { error: `does not sign for ${name}` };
  if (method === "allows") return { allowed: "yes" };
  const bytes = Buffer.from(String(message), "base64");
  const why = refusal(bytes, { purpose, wallet: address }, rules);
  if (why !== null) return { error: `does not sign a ${purpose} that ${why}` };
  return { signature: Buffer.from(await sign(bytes)).toString("base64") };
}

/** Listens only on this machine, and answers only requests with the password. */
function listen(
  { port, password }: { readonly port: number; readonly password: string },
  key: Key,
  rules: Rules,
): void {
  const expected = Buffer.from(`Basic ${Buffer.from(`tokend:${password}`).toString("base64")}`);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    development: false,
    reusePort: false,
    maxRequestBodySize: MAX_REQUEST_BYTES,
    async fetch(request) {
      const given = Buffer.from(request.headers.get("authorization") ?? "");
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        return new Response("the password is missing or wrong", { status: 401 });
      }
      try {
        return Response.json(await answer(await request.text(), key, rules));
      } catch (error) {
        report(error);
        return new Response("did not sign", { status: 502 });
      }
    },
  });
  console.log(`Signs for ${key.address} on http://127.0.0.1:${server.port}`);
}
