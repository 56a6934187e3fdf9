import {
  type AccountInfo,
  Connection,
  type FetchFn,
  type GetMultipleAccountsConfig,
  type PublicKey,
  SolanaJSONRPCError,
} from "@solana/web3.js";
import { type Clock, systemClock } from "../base/clock.ts";

export type RpcOutcome = "ok" | "rpc_error" | RpcFailureKind;

export interface ConnectionOptions {
  /** What carries the requests: the global `fetch`, or the embedded chain's. */
  readonly fetch?: RpcFetch | undefined;
  /** Milliseconds within which the whole answer must arrive. Default {@link DEFAULT_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Measures the time-outs. Default: the system's, because a node answers in real time. */
  readonly clock?: Pick<Clock, "elapsed" | "after"> | undefined;
  /** Awaited before each request, which is not sent if it throws. */
  readonly before?: () => Promise<void>;
  /** Called once per request, for metrics; `node` is the name of one of several nodes. */
  readonly onRpc?:
    | ((method: string, outcome: RpcOutcome, milliseconds: number, node?: string) => void)
    | undefined;
}

export type RpcFetch = (input: string, init: RequestInit) => Promise<Response>;

/**
 * Every request has a time-out, is counted, and is sent once. One without a JSON-RPC answer rejects
 * with {@link RpcFailure}. No error shows the URL.
 */
export function createConnection(rpcUrl: string, options: ConnectionOptions = {}): Connection {
  const carrier: RpcFetch = async (input, init) =>
    new Response(await askNode(input, init, options));
  return connectThrough(rpcUrl, carrier, options.before);
}

/** The same, with all requests through `carrier`, after {@link ConnectionOptions.before}. */
export function connectThrough(
  rpcUrl: string,
  carrier: RpcFetch,
  before?: ConnectionOptions["before"],
): Connection {
  const guarded: RpcFetch = async (input, init) => {
    await before?.();
    return carrier(input, init);
  };
  return new ExactConnection(rpcUrl, {
    commitment: "confirmed",
    // web3.js would retry for up to 15 s of a lease, unseen by the caller.
    disableRetryOnRateLimit: true,
    // `fetch` knows no Node agent.
    httpAgent: false,
    fetch: guarded as unknown as FetchFn,
  });
}

/** web3.js's own three methods throw only the text of an error. */
class ExactConnection extends Connection {
  override async getBalance(...of: Parameters<Connection["getBalance"]>) {
    return (await this.getBalanceAndContext(...of)).value;
  }

  override async getAccountInfo(...of: Parameters<Connection["getAccountInfo"]>) {
    return (await this.getAccountInfoAndContext(...of)).value;
  }

  override async getLatestBlockhash(...of: Parameters<Connection["getLatestBlockhash"]>) {
    return (await this.getLatestBlockhashAndContext(...of)).value;
  }
}

export const DEFAULT_TIMEOUT_MS = 15_000;

export async function askNode(
  url: string,
  init: RequestInit,
  options: ConnectionOptions & { readonly node?: string },
): Promise<string> {
  const method = methodOf(init.body);
  const { onRpc, clock = systemClock, node } = options;
  const started = clock.elapsed();
  let outcome: RpcOutcome = "network";
  try {
    const { text, isError } = await exchange(url, init, options);
    outcome = isError ? "rpc_error" : "ok";
    return text;
  } catch (error) {
    const failure =
      error instanceof RpcFailure ? error : new RpcFailure("network", method, codeOf(error));
    outcome = failure.kind;
    throw failure;
  } finally {
    onRpc?.(method, outcome, clock.elapsed() - started, node);
  }
}

async function exchange(
  url: string,
  init: RequestInit,
  { fetch: inner = fetch, timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock }: ConnectionOptions,
): Promise<{ text: string; isError: boolean }> {
  const method = methodOf(init.body);
  const abort = new AbortController();
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(timeoutMs, () => {
    late.reject(new RpcFailure("timeout", method, `no answer within ${timeoutMs} ms`));
    abort.abort();
  });
  const answer = async () => {
    const response = await inner(url, { ...init, signal: abort.signal });
    const text = await response.text();
    if (!response.ok) {
      const kind = response.status === 429 ? "rate_limited" : "http";
      throw new RpcFailure(kind, method, `HTTP ${response.status}`).after(retryAfter(response));
    }
    return { text, isError: isErrorAnswer(text, method) };
  };
  try {
    return await Promise.race([answer(), late.promise]);
  } finally {
    cancel();
  }
}

function isErrorAnswer(text: string, method: string): boolean {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new RpcFailure("garbage", method, "the answer is not JSON");
  }
  if (typeof body === "object" && body !== null) {
    if ("error" in body) return true;
    if (Array.isArray(body) || "result" in body) return false;
  }
  throw new RpcFailure("garbage", method, "the answer is not JSON-RPC");
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), 3600) : null;
}

function methodOf(body: unknown): string {
  const match = typeof body === "string" ? /"method":"(\w+)"/.exec(body) : null;
  return match?.[1] ?? "unknown";
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" && /^\w+$/.test(code) ? code : "connection failed";
}

/**
 * - `network`: no connection, or it broke.
 * - `timeout`: no whole answer in time.
 * - `rate_limited`: HTTP 429.
 * - `http`: another status outside 2xx.
 * - `garbage`: not a JSON-RPC answer (an HTML page, half a body).
 */
export type RpcFailureKind = "network" | "timeout" | "rate_limited" | "http" | "garbage";

/**
 * A request without a JSON-RPC answer: the node may have acted on it. It carries no cause on
 * purpose: what `fetch` throws names the URL, and RPC URLs hold API keys.
 */
export class RpcFailure extends Error {
  override readonly name = "RpcFailure";
  /** Seconds to wait before the next request, from the node's `Retry-After`; null if it sent none. */
  retryAfterSeconds: number | null = null;

  /** @param detail a status or an error code, for example `HTTP 502` or `ECONNRESET` */
  constructor(
    readonly kind: RpcFailureKind,
    method: string,
    detail: string,
  ) {
    super(`RPC ${method} failed (${kind}): ${detail}`);
  }

  after(seconds: number | null): this {
    this.retryAfterSeconds = seconds;
    return this;
  }
}

/** web3.js 1.x has no public method for this; its own methods all use this member. */
interface RawConnection {
  _rpcRequest(method: string, params: readonly unknown[]): Promise<unknown>;
}

/**
 * Calls a method whose answer web3.js does not know, or parses too strictly. It is unchecked.
 * @throws {SolanaJSONRPCError} the node answers with an error
 */
export async function rawRequest(
  connection: Connection,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const answer = await (connection as unknown as RawConnection)._rpcRequest(method, params);
  const { result, error } = answer as { result?: unknown; error?: RpcErrorAnswer };
  if (error) throw new SolanaJSONRPCError(error, method);
  return result;
}

export interface RpcErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Most addresses that `getMultipleAccounts` takes. Source: Solana's documentation, RPC. */
const MAX_KEYS_PER_CALL = 100;

/**
 * Reads accounts at the latest confirmed slot; null for one that does not exist. @throws
 * {RpcFailure} the node left some out, so it is not known which of them exist
 */
export async function readAccounts(
  connection: Connection,
  addresses: readonly PublicKey[],
  config: GetMultipleAccountsConfig = {},
): Promise<(AccountInfo<Buffer> | null)[]> {
  return (await readAccountsAt(connection, addresses, config)).accounts;
}

/** The same, with the newest slot of the answers; 0 for no addresses. */
export async function readAccountsAt(
  connection: Connection,
  addresses: readonly PublicKey[],
  config: GetMultipleAccountsConfig = {},
): Promise<{ readonly slot: number; readonly accounts: (AccountInfo<Buffer> | null)[] }> {
  const calls = [];
  for (let from = 0; from < addresses.length; from += MAX_KEYS_PER_CALL) {
    const keys = addresses.slice(from, from + MAX_KEYS_PER_CALL);
    const asked = { commitment: "confirmed", ...config } as const;
    calls.push(connection.getMultipleAccountsInfoAndContext(keys, asked));
  }
  const answers = await Promise.all(calls);
  const accounts = answers.flatMap(({ value }) => value);
  if (accounts.length !== addresses.length) {
    const text = "not as many accounts as were asked for";
    throw new RpcFailure("garbage", "getMultipleAccounts", text);
  }
  return { slot: Math.max(0, ...answers.map(({ context }) => context.slot)), accounts };
}
