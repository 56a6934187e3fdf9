import type { Clock } from "../base/clock.ts";
import type { BlockPace } from "./block-pace.ts";
import { readKeypairFile } from "./keypair-file.ts";
import {
  type AskSigner,
  MAX_ANSWER_BYTES,
  remoteSigner,
  signerTimeoutMs,
} from "./remote-signer.ts";
import { keypairSigner, SignerError, type WalletSigner } from "./wallet-signer.ts";

export type WalletPlace =
  | { readonly kind: "keypair"; readonly path: string }
  | { readonly kind: "command"; readonly command: readonly string[] }
  | { readonly kind: "http"; readonly url: string };

export async function openWallet(
  place: WalletPlace,
  clock: Clock,
  pace: Pick<BlockPace, "msPerBlock"> | null = null,
): Promise<WalletSigner> {
  if (place.kind === "keypair") return keypairSigner(readKeypairFile(place.path));
  const timeoutMs = () => signerTimeoutMs(pace);
  const ask =
    place.kind === "command" ? askCommand(place.command, timeoutMs) : askHttp(place.url, timeoutMs);
  return remoteSigner(ask, clock);
}

/** Settings that hold secrets of the service; the signer's command does not get them. */
const OWN_SECRETS = [
  "DATABASE_URL",
  "JWT_SECRET",
  "JWT_SECRET_PREVIOUS",
  "MINT_SECRET",
  "PGPASSWORD",
  "PIN_TOKEN",
  "RPC_URL",
  "SEND_URLS",
];

/**
 * Starts a program for each request, without a shell and in a process group that is killed
 * afterwards: the request is its standard input, the answer its standard output. Exit codes other
 * than 0 are refusals.
 */
export function askCommand(
  command: readonly string[],
  readTimeoutMs = () => signerTimeoutMs(null),
): AskSigner {
  return async (request) => {
    const timeoutMs = readTimeoutMs();
    const env = { ...process.env };
    for (const name of OWN_SECRETS) delete env[name];
    const child = start([...command], env, Buffer.from(JSON.stringify(request)));
    const tooLate = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      tooLate.reject(new SignerError(`the launch signer gave no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      // A program that it started may hold its output open after its own end.
      return await Promise.race([readAnswer(child), tooLate.promise]);
    } finally {
      clearTimeout(timer);
      killGroup(child);
    }
  };
}

async function readAnswer(child: ReturnType<typeof start>): Promise<string> {
  const answer = await readAtMost(child.stdout);
  const code = await child.exited;
  if (code !== 0) throw new SignerError(`the launch signer exited with ${code}`);
  return answer;
}

function killGroup({ pid }: { readonly pid: number }): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}

function start(command: string[], env: Record<string, string | undefined>, stdin: Buffer) {
  try {
    // Its messages for people go where the server's go. Bun writes the bytes itself: to a program that ends
    // without reading, a pipe that we write fails with EPIPE, now and then as an unhandled rejection.
    return Bun.spawn(command, { stdin, stdout: "pipe", stderr: "inherit", env, detached: true });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    throw new SignerError(`the launch signer cannot be started (${code})`);
  }
}

/** Posts each request, with Basic authentication of the URL, and follows no redirect. */
export function askHttp(address: string, readTimeoutMs = () => signerTimeoutMs(null)): AskSigner {
  const url = new URL(address);
  const headers = new Headers({ "content-type": "application/json" });
  if (url.username !== "" || url.password !== "") {
    const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set("authorization", `Basic ${Buffer.from(user).toString("base64")}`);
    url.username = url.password = "";
  }
  return async (request) => {
    try {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: JSON.stringify(request),
        redirect: "error",
        decompress: false,
        signal: AbortSignal.timeout(readTimeoutMs()),
      });
      if (!response.ok) throw new SignerError(`the launch signer answered HTTP ${response.status}`);
      return await readAtMost(response.body);
    } catch (error) {
      if (error instanceof SignerError) throw error;
      // The error's own text may hold the URL, and the URL a password.
      const why = error instanceof Error && error.name === "TimeoutError" ? "in time" : "at all";
      throw new SignerError(`the launch signer does not answer ${why}`);
    }
  };
}

async function readAtMost(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) throw new SignerError("the launch signer's answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
