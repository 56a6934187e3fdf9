import { Resolver } from "node:dns/promises";
import http, { type IncomingMessage, type RequestOptions } from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import { limits } from "@tokenctl/shared/limits";
import ipaddr from "ipaddr.js";
import { type Clock, systemClock } from "../../base/clock.ts";

export type PostOutcome = { readonly status: number } | { readonly problem: string };

export interface PostOptions {
  readonly clock: Pick<Clock, "after">;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface ReceiverClientOptions {
  /** Whether receivers on this machine are allowed, also by http: only on a sandbox. */
  readonly allowsLoopback: boolean;
  /** Tests answer like a hostile DNS server. */
  readonly resolve?: ResolveHost | undefined;
  /** Certificates to trust besides those of the system, in PEM. Tests pass their own. */
  readonly ca?: string;
}

class PostError extends Error {}

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Looks a receiver's name up once, checks the address, and connects to exactly that address.
 * Follows no redirect. Bun's `fetch` was rejected: it obeys `HTTPS_PROXY`, whose proxy would look
 * the name up again, and ignores undici's dispatchers.
 */
export class ReceiverClient {
  readonly #resolve: ResolveHost;

  constructor(private readonly options: ReceiverClientOptions) {
    this.#resolve = options.resolve ?? resolveHost;
  }

  /** Never throws. */
  async post(
    url: string,
    message: Message,
    { clock, timeoutMs, signal }: PostOptions,
  ): Promise<PostOutcome> {
    const late = new AbortController();
    const cancel = clock.after(timeoutMs, () => late.abort());
    const ended = AbortSignal.any([signal, late.signal]);
    try {
      const receiver = readReceiverUrl(url, this.options.allowsLoopback);
      if (typeof receiver === "string") throw new PostError(`the URL must be ${receiver}`);
      const address = await this.#addressOf(receiver, ended);
      return { status: await this.#send(receiver, address, { ...message, signal: ended }) };
    } catch (error) {
      if (signal.aborted) return { problem: "the server is stopping" };
      if (ended.aborted) return { problem: `no answer within ${timeoutMs / 1000} s` };
      if (error instanceof PostError) return { problem: error.message };
      const code = error instanceof Error && "code" in error ? ` (${error.code})` : "";
      return { problem: `the request failed${code}` };
    } finally {
      cancel();
    }
  }

  async #addressOf({ host, isHttps }: ReceiverUrl, signal: AbortSignal): Promise<string> {
    const isLocal = this.options.allowsLoopback && isLoopbackHost(host);
    const looksUp = isIP(host) === 0 && !isLoopbackHost(host);
    // RFC 6761: names of this machine are not looked up.
    const own = isIP(host) === 0 ? "127.0.0.1" : host;
    const addresses = looksUp ? await this.#resolve(host, signal) : [own];
    const mayConnect = isLocal ? isLoopbackAddress : isPublicAddress;
    const allowed = isLocal || isHttps ? addresses.filter(mayConnect) : [];
    // Not every network has IPv6. The next attempt may take another address.
    const preferred = allowed.filter((address) => isIP(address) === 4);
    const from = preferred.length > 0 ? preferred : allowed;
    const address = from[Math.floor(Math.random() * from.length)];
    // The same text as for an unknown name, so that the names of a private network stay secret.
    if (address === undefined) throw new PostError("the host has no public address");
    return address;
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
        // If the server is given by address, Bun compares the certificate with this name.
        host: url.host,
        "content-length": String(Buffer.byteLength(body)),
      },
      // Always a new connection: one that was checked for another host is never reused.
      agent: false,
      signal,
      ...(isHttps && {
        rejectUnauthorized: true,
        ...(isIP(host) === 0 && { servername: host }),
        ...(this.options.ca !== undefined && { ca: this.options.ca }),
      }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const request = (isHttps ? https : http).request(options, ({ statusCode }: IncomingMessage) => {
      // The head is enough: a body may have any length, and may never end.
      resolve(statusCode ?? 0);
      request.destroy();
    });
    let interim = 0;
    // Each interim answer (1xx) takes time of the thread that answers requests.
    request.on("information", () => {
      if (++interim > 10) request.destroy(new PostError("the answer does not begin"));
    });
    request.on("error", reject);
    request.end(body);
    return promise;
  }
}

interface ReceiverUrl {
  readonly url: URL;
  /** The host without brackets and without a final dot. */
  readonly host: string;
  readonly isHttps: boolean;
}

/** Allows port 443 and ports from 1024 on. Returns the URL, or a text that follows "must be". */
export function readReceiverUrl(text: string, allowsLoopback: boolean): ReceiverUrl | string {
  if (!URL.canParse(text)) return "a URL";
  const url = new URL(text);
  // The parser may lengthen a URL, for example with a host in punycode.
  if (url.href.length > limits.webhook.url)
    return `a URL of at most ${limits.webhook.url} characters`;
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isHttps = url.protocol === "https:";
  if (url.username !== "" || url.password !== "") return "a URL without a user name";
  if (isLoopbackHost(host)) {
    if (allowsLoopback && (isHttps || url.protocol === "http:")) return { url, host, isHttps };
    return "a URL of a public host";
  }
  if (!isHttps) return "an https URL";
  if (isIP(host) !== 0 && !isPublicAddress(host)) return "a URL of a public host";
  if (url.port !== "" && Number(url.port) < 1024) return "a URL with port 443 or one from 1024 on";
  return { url, host, isHttps };
}

export const isLoopbackHost = (host: string) =>
  host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);

/** Azure's host agent: in the public range, but only Azure's virtual machines reach it. */
const AZURE_HOST = "168.63.129.16";
/** The range that IPv6 assigns to networks (RFC 4291, section 2.4); the rest is special. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");

/**
 * Returns false for private, loopback, link-local, metadata, carrier-grade NAT, multicast and
 * reserved addresses, and for IPv6 addresses that embed IPv4 (mapped, translated, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  // The parser also accepts spellings such as 1.2.3.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6
    ? parsed.match(GLOBAL_UNICAST, 3)
    : parsed.toString() !== AZURE_HOST;
}

const isLoopbackAddress = (address: string) =>
  isIP(address) !== 0 && ipaddr.parse(address).range() === "loopback";

/** How long the resolver waits for an answer, and how often it asks. */
const QUERY = { timeout: 2_000, tries: 2 } as const;
/** Milliseconds after which a lookup returns what it has. */
const LOOKUP_MS = 5_000;

/** Returns a name's IPv4 and IPv6 addresses; empty if it has none, or none is found in time. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Resolves a name with c-ares: `getaddrinfo` behind `lookup` blocks a thread of the pool that also
 * signs tokens. It reads neither `/etc/hosts` nor search domains: a client means a public name.
 */
export async function resolveHost(
  host: string,
  signal: AbortSignal,
  {
    servers,
    clock = systemClock,
  }: { readonly servers?: readonly string[]; readonly clock?: Pick<Clock, "after"> } = {},
): Promise<readonly string[]> {
  if (signal.aborted) return [];
  // A new resolver for each call, because `cancel` ends all lookups of a resolver.
  const resolver = new Resolver(QUERY);
  if (servers) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  const stopWaiting = clock.after(LOOKUP_MS, cancel);
  signal.addEventListener("abort", cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  } finally {
    stopWaiting();
    signal.removeEventListener("abort", cancel);
  }
}
