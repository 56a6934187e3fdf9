import type { ServerWebSocket, WebSocketHandler } from "bun";
import type { LocalChain } from "../chain.ts";
import { stringifyExact } from "../exact-json.ts";
import { API_VERSION } from "./method.ts";
import { type Commitment, commitmentOf, Params, parseSignature } from "./params.ts";
import { RPC_CODES, RpcError } from "./rpc-error.ts";

/** How often what is waited for is looked at, in milliseconds. */
const LOOK_MS = 100;

interface Subscription {
  readonly socket: ServerWebSocket<undefined>;
  readonly signature: string;
  readonly commitment: Commitment;
}

/**
 * The websocket side of the RPC as far as waiting for transactions goes: `signatureSubscribe`, by
 * which web3.js and Anchor confirm what they sent. Everything else is refused.
 */
export class SignatureSubscriptions {
  readonly #chain: LocalChain;
  readonly #open = new Map<number, Subscription>();
  #lastId = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(chain: LocalChain) {
    this.#chain = chain;
  }

  readonly handler: WebSocketHandler<undefined> = {
    message: (socket, message) => {
      const answer = this.#answer(socket, String(message));
      if (answer !== null) socket.send(stringifyExact(answer));
      this.#look();
    },
    close: (socket) => {
      for (const [id, subscription] of this.#open) {
        if (subscription.socket === socket) this.#open.delete(id);
      }
    },
  };

  /** Forgets all subscriptions. */
  close(): void {
    this.#open.clear();
    this.#look();
  }

  #answer(socket: ServerWebSocket<undefined>, message: string): object | null {
    let call: { id?: unknown; method?: unknown; params?: unknown } | null;
    try {
      call = JSON.parse(message);
    } catch {
      return failure(null, new RpcError(RPC_CODES.parseError, "Parse error"));
    }
    // Clients keep the line open with calls that want no answer.
    if (call?.id === undefined) return null;
    try {
      const params = new Params(Array.isArray(call.params) ? call.params : []);
      return { jsonrpc: "2.0", result: this.#invoke(socket, call.method, params), id: call.id };
    } catch (error) {
      return failure(call.id, error);
    }
  }

  #invoke(socket: ServerWebSocket<undefined>, method: unknown, params: Params): number | boolean {
    switch (method) {
      case "signatureSubscribe": {
        const signature = params.string(0);
        parseSignature(signature);
        this.#lastId += 1;
        const commitment = commitmentOf(params.config(1));
        this.#open.set(this.#lastId, { socket, signature, commitment });
        return this.#lastId;
      }
      case "signatureUnsubscribe":
        return this.#open.delete(params.integer(0));
      default:
        throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
    }
  }

  /** Tells who waits for something that has come, once, and looks again as long as anyone waits. */
  #look(): void {
    const due: (() => void)[] = [];
    for (const [id, { socket, signature, commitment }] of this.#open) {
      const status = this.#chain.signatureStatus(signature);
      if (status === null || (commitment === "finalized" && !status.finalized)) continue;
      this.#open.delete(id);
      const context = { slot: this.#chain.slot(), apiVersion: API_VERSION };
      const result = { context, value: { err: status.error } };
      const params = { result, subscription: id };
      const message = { jsonrpc: "2.0", method: "signatureNotification", params };
      due.push(() => socket.send(stringifyExact(message)));
    }
    if (due.length > 0) void this.#tell(due);
    if (this.#open.size > 0) {
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS);
    } else if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  /** Nobody is told of what a power failure could undo. */
  async #tell(due: readonly (() => void)[]): Promise<void> {
    try {
      await this.#chain.whenSynced();
    } catch {
      // The disk failed: whoever asks for the status is told.
      return;
    }
    for (const send of due) send();
  }
}

function failure(id: unknown, error: unknown): object {
  const known = error instanceof RpcError;
  const code = known ? error.code : RPC_CODES.internalError;
  return { jsonrpc: "2.0", error: { code, message: known ? error.message : "Internal error" }, id };
}
