import type { ServerWebSocket, WebSocketHandler } from "bun";
import type { LocalChain } from "../chain.ts";
import { stringifyExact } from "../exact-json.ts";
import { API_VERSION } from "./method.ts";
import { type Commitment, commitmentOf, Params, parseSignature } from "./params.ts";
import { failure } from "./reply.ts";
import { RPC_CODES, RpcError } from "./rpc-error.ts";

/** The interval at which the chain is checked for subscribed signatures, in milliseconds. */
const POLL_MS = 100;

interface Subscription {
  readonly socket: ServerWebSocket<undefined>;
  readonly signature: string;
  readonly commitment: Commitment;
}

/**
 * The websocket side of the RPC. It has only `signatureSubscribe`, with which web3.js and Anchor
 * confirm transactions; other subscriptions are refused.
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
      this.#poll();
    },
    close: (socket) => {
      for (const [id, subscription] of this.#open) {
        if (subscription.socket === socket) this.#open.delete(id);
      }
    },
  };

  /** Ends all subscriptions. */
  close(): void {
    this.#open.clear();
    this.#poll();
  }

  #answer(socket: ServerWebSocket<undefined>, message: string): object | null {
    let call: { id?: unknown; method?: unknown; params?: unknown } | null;
    try {
      call = JSON.parse(message);
    } catch {
      return failure(null, new RpcError(RPC_CODES.parseError, "Parse error"));
    }
    // Clients keep the connection open with notifications, which get no answer.
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

  /** Notifies every subscriber whose transaction is there, once. Repeats while others wait. */
  #poll(): void {
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
    if (due.length > 0) void this.#notify(due);
    if (this.#open.size > 0) {
      this.#timer ??= setInterval(() => this.#poll(), POLL_MS);
    } else if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }

  /** Waits for the disk first, so that no power failure undoes what is sent. */
  async #notify(due: readonly (() => void)[]): Promise<void> {
    try {
      await this.#chain.whenSynced();
    } catch {
      // The disk failed. A subscriber that asks for the status gets the error.
      return;
    }
    for (const send of due) send();
  }
}
