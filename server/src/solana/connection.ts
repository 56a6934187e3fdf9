import {
  type AccountInfo,
  Connection,
  type FetchFn,
  type GetMultipleAccountsConfig,
  type PublicKey,
} from "@solana/web3.js";
import type { RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
import { type Clock, systemClock } from "../base/clock.ts";
import { readAtMost } from "../base/read-at-most.ts";
import {
  type RpcAnswer,
  RpcError,
  type RpcRequest,
  readAnswer,
  readRequest,
} from "./rpc-answer.ts";

/** The commitment of every read and decision: confirmed state is not rolled back. */
export const COMMITMENT = "confirmed";
/** The name to use for nodes that do not know `confirmed`. */
const OTHER_COMMITMENT = "finalized";

export type RpcOutcome = "ok" | RpcErrorKind;

export interface ConnectionOptions {
  /** Sends the requests: the embedded chain's `fetch`. Default: the global one. */
  readonly fetch?: RpcFetch | undefined;
  /** Milliseconds within which the whole answer must arrive. Default {@link DEFAULT_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Measures the time-outs. Default: the system clock, because a node answers in real time. */
  readonly clock?: Pick<Clock, "elapsed" | "after"> | undefined;
  /** Runs before each request. If it throws, the request is not sent. */
  readonly before?: () => Promise<void>;
  /** Called once per request, for metrics. */
  readonly onRpc?: ((method: string, outcome: RpcOutcome) => void) | undefined;
}

export type RpcFetch = (input: string, init: RequestInit) => Promise<Response>;

/** Carries one request to a node, or to one of several. @throws {RpcError} there is no answer */
type RpcCarrier = (request: RpcRequest) => Promise<RpcAnswer>;

/**
 * Opens a connection whose requests have a time-out, are counted, and are sent once. A failed
 * request rejects with {@link RpcError}, which web3.js would replace. No error shows the URL.
 */
export function createConnection(rpcUrl: string, options: ConnectionOptions = {}): Connection {
  const endpoint = new RpcEndpoint(rpcUrl, options);
  return connectThrough(rpcUrl, (request) => endpoint.ask(request), options.before);
}

export function connectThrough(
  rpcUrl: string,
  carrier: RpcCarrier,
  before?: ConnectionOptions["before"],
): Connection {
  const guarded: RpcFetch = async (_, init) => {
    await before?.();
    const request = readRequest(String(init.body));
    const { result, error } = await carrier(request);
    // web3.js keeps only an error's text or drops its code, and treats `"error": null` as an error.
    if (error) throw error;
    return Response.json({ jsonrpc: "2.0", id: request.id, result });
  };
  return new ExactConnection(rpcUrl, {
    commitment: COMMITMENT,
    // web3.js would retry for up to 15 s of a lease, unseen by the caller.
    disableRetryOnRateLimit: true,
    // `fetch` does not support Node's agents.
    httpAgent: false,
    fetch: guarded as unknown as FetchFn,
  });
}

/** Replaces two methods that in web3.js throw only the text of an error. */
class ExactConnection extends Connection {
  override async getBalance(...of: Parameters<Connection["getBalance"]>) {
    return (await this.getBalanceAndContext(...of)).value;
  }

  override async getAccountInfo(...of: Parameters<Connection["getAccountInfo"]>) {
    return (await this.getAccountInfoAndContext(...of)).value;
  }
}

export const DEFAULT_TIMEOUT_MS = 15_000;

/** An account has at most 10 MiB, which take 14 in base64. */
const MAX_ANSWER_BYTES = 32 * 1024 ** 2;
const POST = { method: "POST", headers: { "content-type": "application/json" } };

/** A node. Uses `finalized` instead of `confirmed` if the node does not know the latter. */
export class RpcEndpoint {
  protected readonly clock: Pick<Clock, "elapsed" | "after">;
  /** Private, because it may contain an API key that printing a node must not show. */
  readonly #url: string;
  readonly #options: ConnectionOptions;
  #knowsCommitment = true;

  constructor(url: string, options: ConnectionOptions) {
    this.clock = options.clock ?? systemClock;
    this.#url = url;
    this.#options = options;
  }

  /** Returns a valid result or the node's JSON-RPC error. @throws {RpcError} there is neither */
  async ask(
    request: RpcRequest,
    timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  ): Promise<RpcAnswer> {
    const askOther = () => this.#exchange(withOtherCommitment(request), timeoutMs);
    if (!this.#knowsCommitment) return askOther();
    const answer = await this.#exchange(request, timeoutMs);
    const { error } = answer;
    if (error?.kind !== "refused" || !error.detail.includes(COMMITMENT)) return answer;
    const other = await askOther();
    if (other.error?.kind !== "refused") this.#knowsCommitment = false;
    return other;
  }

  async #exchange(request: RpcRequest, timeoutMs: number): Promise<RpcAnswer> {
    const { method } = request;
    const { onRpc } = this.#options;
    const abort = new AbortController();
    const late = Promise.withResolvers<never>();
    const cancel = this.clock.after(timeoutMs, () => {
      late.reject(new RpcError("timeout", method, `no answer within ${timeoutMs} ms`));
      abort.abort();
    });
    let outcome: RpcOutcome = "network";
    try {
      const answer = await Promise.race([this.#fetch(request, abort.signal), late.promise]);
      outcome = answer.error?.kind ?? "ok";
      return answer;
    } catch (error) {
      const failure =
        error instanceof RpcError ? error : new RpcError("network", method, codeOf(error));
      outcome = failure.kind;
      throw failure;
    } finally {
      cancel();
      onRpc?.(method, outcome);
    }
  }

  async #fetch(request: RpcRequest, signal: AbortSignal): Promise<RpcAnswer> {
    const { fetch: inner = fetch } = this.#options;
    const response = await inner(this.#url, { ...POST, body: request.body, signal });
    const status = response.ok ? null : response.status;
    const facts = { status, retryAfterSeconds: retryAfter(response) };
    const text = (await readAtMost(MAX_ANSWER_BYTES, response.body)) ?? "";
    return readAnswer(request, text, facts);
  }
}

/** Replaces the values of both `commitment` and `preflightCommitment`. */
function withOtherCommitment({ body }: RpcRequest): RpcRequest {
  const word = (name: string) => `ommitment":"${name}"`;
  return readRequest(body.replaceAll(word(COMMITMENT), word(OTHER_COMMITMENT)));
}

function retryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), 3600) : null;
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" && /^\w+$/.test(code) ? code : "connection failed";
}

/** web3.js 1.x has no public method for raw requests; its own methods all use this member. */
interface RawConnection {
  _rpcRequest(method: string, params: readonly unknown[]): Promise<unknown>;
}

/** Calls a method that web3.js does not offer or parses too strictly. @throws {RpcError} */
export async function rawRequest(
  connection: Connection,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const answer = await (connection as unknown as RawConnection)._rpcRequest(method, params);
  return (answer as { result?: unknown }).result;
}

/** Most addresses that `getMultipleAccounts` takes. Source: Solana's RPC documentation. */
const MAX_KEYS_PER_CALL = 100;

/**
 * Reads accounts at the latest confirmed slot; null for one that does not exist.
 * @throws {RpcError} the node left some out, so it is unknown which of them exist
 */
export async function readAccounts(
  connection: Connection,
  addresses: readonly PublicKey[],
  config: GetMultipleAccountsConfig = {},
): Promise<(AccountInfo<Buffer> | null)[]> {
  return (await readAccountsAt(connection, addresses, config)).accounts;
}

/** Like {@link readAccounts}, with the newest slot of the answers; 0 for no addresses. */
export async function readAccountsAt(
  connection: Connection,
  addresses: readonly PublicKey[],
  config: GetMultipleAccountsConfig = {},
): Promise<{ readonly slot: number; readonly accounts: (AccountInfo<Buffer> | null)[] }> {
  const calls = [];
  for (let from = 0; from < addresses.length; from += MAX_KEYS_PER_CALL) {
    const keys = addresses.slice(from, from + MAX_KEYS_PER_CALL);
    calls.push(connection.getMultipleAccountsInfoAndContext(keys, config));
  }
  const answers = await Promise.all(calls);
  const accounts = answers.flatMap(({ value }) => value);
  if (accounts.length !== addresses.length) {
    const text = "not as many accounts as were asked for";
    throw new RpcError("garbage", "getMultipleAccounts", text);
  }
  return { slot: Math.max(0, ...answers.map(({ context }) => context.slot)), accounts };
}
