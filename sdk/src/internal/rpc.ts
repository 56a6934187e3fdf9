import { AbortError, RpcError } from "../errors.ts";
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

/** How long a node may lag behind. */
const PATIENCE_MS = 30_000;
/** About a slot. */
const INTERVAL_MS = 400;

/** A Solana node's JSON-RPC, for reads only. */
export class Rpc {
  /** The node's name in errors: the rest of its address often holds a key. */
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

  /** The same node, whose reads end when the signal fires. */
  until(signal: AbortSignal | undefined): Rpc {
    return new Rpc(this.#url, { ...this.#settings, signal });
  }

  /** Asks until the node shows something, because it may lag behind the server's. @throws `missing()` */
  async untilShown<T>(read: () => Promise<T | null>, missing: () => Error): Promise<T> {
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const seen = await read();
      if (seen !== null) return seen;
      if (performance.now() >= giveUpAt) throw missing();
      await sleep(INTERVAL_MS, this.#settings.signal);
    }
  }

  /** @throws {RpcError} if the node does not answer, refuses, or answers something else */
  async read<T>(method: string, params: readonly unknown[], answer: Answer<T>): Promise<T> {
    const { fetch, retry, timeoutMs, signal } = this.#settings;
    const node = { apiUrl: this.#url, fetch, name: this.origin };
    const once = async () => {
      const { status, body, requestId, retryAfter } = await send(node, {
        method: "POST",
        path: "",
        name: `${method} of ${this.origin}`,
        body: { jsonrpc: "2.0", id: 1, method, params },
        timeoutMs,
        signal,
      });
      const isAnswer = status >= 200 && status < 300;
      // Without the body, which could look like an error of the token service.
      if (!isAnswer) throw toApiError({ status, body: undefined, requestId, retryAfter });
      return body;
    };
    let body: unknown;
    try {
      body = await withRetries(once, "read", { ...retry, signal });
    } catch (error) {
      if (error instanceof AbortError) throw error;
      throw new RpcError(method, this.origin, (error as Error).message);
    }
    if (typeof body !== "object" || body === null) {
      throw new RpcError(method, this.origin, "body is not an object");
    }
    const { result, error } = body as { result?: T; error?: { message?: unknown } };
    const problem = answer.check(result);
    if (problem === null) return result as T;
    const said = typeof error?.message === "string" ? error.message : under("body.result", problem);
    throw new RpcError(method, this.origin, said);
  }
}
