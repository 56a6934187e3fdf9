import { kindOfRpcError, type RpcErrorKind } from "@tokenctl/shared/rpc-error-kinds";
import { HIGHEST_VERSION } from "@tokenctl/shared/wire-transaction";
import { ApiError } from "../api-error.ts";
import { AbortError, InvalidResponseError, RpcError, TimeoutError } from "../errors.ts";
import { type Answer, under } from "./answer.ts";
import { toApiError } from "./api-error.ts";
import { sleep } from "./deadline.ts";
import { type HttpServer, send } from "./http.ts";
import { type RetryPolicy, withRetries } from "./retry.ts";

interface RpcSettings extends Pick<HttpServer, "fetch"> {
  readonly retry: RetryPolicy;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds that a node may lag behind the server's. */
const PATIENCE_MS = 30_000;
/** Milliseconds between reads: about a slot. */
const INTERVAL_MS = 400;

export const CONFIRMED = { commitment: "confirmed" } as const;
export const TRANSACTIONS = {
  ...CONFIRMED,
  encoding: "json",
  maxSupportedTransactionVersion: HIGHEST_VERSION,
};

export class Rpc {
  /** The node's name in errors, because the rest of its address often contains a key. */
  readonly origin: string;
  readonly #url: string;
  readonly #settings: RpcSettings;

  constructor(rpcUrl: string, settings: RpcSettings) {
    this.origin = new URL(rpcUrl).origin;
    this.#url = rpcUrl;
    this.#settings = settings;
  }

  get signal(): AbortSignal | undefined {
    return this.#settings.signal;
  }

  until(signal: AbortSignal | undefined): Rpc {
    return new Rpc(this.#url, { ...this.#settings, signal });
  }

  /** Reads until the node shows something: it may lag behind the server's. */
  async untilShown<T>(read: () => Promise<T | null>, missing: () => Error): Promise<T> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const seen = await read();
      if (seen !== null) return seen;
      if (performance.now() >= giveUpAt) throw missing();
      await sleep(INTERVAL_MS, this.#settings.signal);
    }
  }

  async read<T>(method: string, params: readonly unknown[], answer: Answer<T>): Promise<T> {
    const { retry, signal } = this.#settings;
    try {
      const policy = { ...retry, signal };
      return await withRetries(() => this.#once(method, params, answer), "read", policy);
    } catch (error) {
      if (error instanceof AbortError || error instanceof RpcError) throw error;
      throw new RpcError(method, this.origin, (error as Error).message, kindOf(error));
    }
  }

  async #once<T>(method: string, params: readonly unknown[], answer: Answer<T>): Promise<T> {
    const { fetch, timeoutMs, signal } = this.#settings;
    const node = { apiUrl: this.#url, fetch, name: this.origin };
    const { status, body, requestId, retryAfter } = await send(node, {
      method: "POST",
      path: "",
      name: `${method} of ${this.origin}`,
      body: { jsonrpc: "2.0", id: 1, method, params },
      timeoutMs,
      signal,
    });
    const { result, error } = Object(body) as { result?: T; error?: unknown };
    const { code, message } = Object(error) as { code?: unknown; message?: unknown };
    const isAnswer = status >= 200 && status < 300;
    if (typeof message === "string") {
      const known = { code: typeof code === "number" ? code : 0, status: isAnswer ? null : status };
      throw new RpcError(method, this.origin, message, kindOfRpcError(known));
    }
    // Omits the body, which could look like an error of the token service.
    if (!isAnswer) throw toApiError({ status, body: undefined, requestId, retryAfter });
    const problem = answer.check(result);
    if (problem === null) return result as T;
    const isObject = typeof body === "object" && body !== null;
    const saw = isObject ? under("body.result", problem) : "body is not an object";
    throw new RpcError(method, this.origin, saw, "garbage");
  }
}

function kindOf(error: unknown): RpcErrorKind {
  if (error instanceof ApiError) return kindOfRpcError({ status: error.status });
  if (error instanceof InvalidResponseError) return "garbage";
  return error instanceof TimeoutError ? "timeout" : "network";
}
