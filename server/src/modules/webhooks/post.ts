import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { isLoopbackAddress, isPublicAddress } from "../../base/public-address.ts";
import {
  isLoopbackHost,
  type ReceiverPolicy,
  type ReceiverUrl,
  readReceiverUrl,
} from "./receiver-url.ts";
import { type ResolveHost, resolveHost } from "./resolve-host.ts";

/** Bytes of an answer's body that are read; nothing of them is kept. */
const MAX_BODY_BYTES = 4_096;

export type PostOutcome = { readonly status: number } | { readonly problem: string };

export interface PostOptions {
  readonly clock: Pick<Clock, "after">;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ReceiverClientOptions extends ReceiverPolicy {
  /** Tests answer as a hostile DNS server does. */
  readonly resolve?: ResolveHost | undefined;
  /** Certificates to trust besides those of the system, in PEM; tests give their own. */
  readonly ca?: string;
}

class PostError extends Error {
  override readonly name = "PostError";
}

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends requests to receivers that agents name: looks the name up once, checks the address, and
 * connects to exactly that. Follows no redirect. By `node:https`, because Bun's `fetch` obeys
 * `HTTPS_PROXY`, whose proxy would look the name up again, and ignores undici's dispatchers.
 */
export class ReceiverClient {
  readonly #resolve: ResolveHost;

  constructor(private readonly options: ReceiverClientOptions) {
    this.#resolve = options.resolve ?? resolveHost;
  }

  /** Sends a JSON text by POST. Never throws. */
  async post(
    url: string,
    message: Message,
    { clock, timeoutMs, signal }: PostOptions,
  ): Promise<PostOutcome> {
    const ends = new AbortController();
    const end = () => ends.abort(new PostError("the server is stopping"));
    const cancel = clock.after(timeoutMs, () =>
      ends.abort(new PostError(`no answer within ${timeoutMs / 1000} s`)),
    );
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    try {
      const receiver = readReceiverUrl(url, this.options);
      if (typeof receiver === "string") throw new PostError(`the URL must be ${receiver}`);
      const address = await this.#addressOf(receiver, ends.signal);
      return { status: await this.#send(receiver, address, { ...message, signal: ends.signal }) };
    } catch (error) {
      const reason: unknown = ends.signal.aborted ? ends.signal.reason : error;
      return { problem: reason instanceof PostError ? reason.message : problemOf(reason) };
    } finally {
      cancel();
      signal.removeEventListener("abort", end);
    }
  }

  async #addressOf({ host, isHttps }: ReceiverUrl, signal: AbortSignal): Promise<string> {
    const isLocal = this.options.allowsLoopback && isLoopbackHost(host);
    const addresses = await this.#addressesOf(host, signal);
    const mayConnect = isLocal ? isLoopbackAddress : isPublicAddress;
    const allowed = isLocal || isHttps ? addresses.filter(mayConnect) : [];
    // Not every network has IPv6. The next attempt may take another address.
    const preferred = allowed.filter((address) => isIP(address) === 4);
    const from = preferred.length > 0 ? preferred : allowed;
    const address = from[Math.floor(Math.random() * from.length)];
    // The same text as for a name that does not exist, so that the names of a private network stay secret.
    if (address === undefined) throw new PostError("the host has no public address");
    return address;
  }

  async #addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host];
    // RFC 6761: names of this machine are not looked up.
    return isLoopbackHost(host) ? ["127.0.0.1"] : this.#resolve(host, signal);
  }

  #send(
    { url, host, isHttps }: ReceiverUrl,
    address: string,
    { headers, body, signal }: Message & { readonly signal: AbortSignal },
  ): Promise<number> {
    const options: https.RequestOptions & RequestOptions = {
      method: "POST",
      host: address,
      port: url.port || (isHttps ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        // Bun compares a certificate with this name if the server is named by its address.
        host: url.host,
        "content-length": String(Buffer.byteLength(body)),
      },
      // A connection of its own: none that was checked for another host is used again.
      agent: false,
      signal,
      ...(isHttps && {
        rejectUnauthorized: true,
        ...(isIP(host) === 0 && { servername: host }),
        ...(this.options.ca !== undefined && { ca: this.options.ca }),
      }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const request = (isHttps ? https : http).request(options, (answer: IncomingMessage) => {
      const done = () => {
        resolve(answer.statusCode ?? 0);
        request.destroy();
      };
      let length = 0;
      answer.on("data", (chunk: Uint8Array) => {
        length += chunk.length;
        if (length > MAX_BODY_BYTES) done();
      });
      answer.on("end", done);
      answer.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
    return promise;
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the host cannot be reached",
  ETIMEDOUT: "the host cannot be reached",
};

function problemOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const known = PROBLEMS[code];
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL|SIGNATURE/.test(code)) return `the certificate was refused (${code})`;
  if (code.startsWith("HPE_")) return "the answer is not valid HTTP";
  return "the request failed";
}
