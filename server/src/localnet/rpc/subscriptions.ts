import type { ServerWebSocket, WebSocketHandler } from "bun";
import type { LocalChain } from "../chain.ts";
import { stringifyExact } from "../exact-json.ts";
import { API_VERSION, commitmentOf, Params, parseSignature } from "./method.ts";
import { failure, RPC_CODES, RpcError } from "./rpc-error.ts";

/** The interval at which the chain is asked for news, in milliseconds. */
const POLL_MS = 100;

interface Subscription {
  readonly socket: ServerWebSocket<undefined>;
  readonly notification: "signatureNotification" | "slotNotification";
  /** @returns what is new; null if nothing is */
  readonly read: () => object | null;
}

/**
 * The websocket side of the RPC: `signatureSubscribe` and `slotSubscribe`, with which web3.js, kit and
 * Anchor confirm transactions. Other subscriptions are refused.
 */
export class Subscriptions {
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
        const read = this.#signature(params);
        return this.#add({ socket, notification: "signatureNotification", read });
      }
      case "slotSubscribe":
        return this.#add({ socket, notification: "slotNotification", read: this.#slots() });
      case "signatureUnsubscribe":
      case "slotUnsubscribe":
        return this.#open.delete(params.integer(0));
      default:
        throw new RpcError(RPC_CODES.methodNotFound, "Method not found");
    }
  }

  #add(subscription: Subscription): number {
    this.#lastId += 1;
    this.#open.set(this.#lastId, subscription);
    return this.#lastId;
  }

  #signature(params: Params): Subscription["read"] {
    const signature = params.string(0);
    parseSignature(signature);
    const commitment = commitmentOf(params.config(1));
    return () => {
      const status = this.#chain.signatureStatus(signature);
      if (status === null || (commitment === "finalized" && !status.finalized)) return null;
      const context = { slot: this.#chain.slot(), apiVersion: API_VERSION };
      return { context, value: { err: status.error } };
    };
  }

  #slots(): Subscription["read"] {
    let last = this.#chain.slot();
    return () => {
      const slot = this.#chain.slot();
      if (slot === last) return null;
      last = slot;
      return { slot, parent: slot - 1, root: this.#chain.finalizedSlot() };
    };
  }

  /** Notifies every subscriber that has news, of a signature once. Repeats while any is left. */
  #poll(): void {
    for (const [id, { socket, notification, read }] of this.#open) {
      const result = read();
      if (result === null) continue;
      if (notification === "signatureNotification") this.#open.delete(id);
      const params = { result, subscription: id };
      socket.send(stringifyExact({ jsonrpc: "2.0", method: notification, params }));
    }
    if (this.#open.size > 0) {
      this.#timer ??= setInterval(() => this.#poll(), POLL_MS);
    } else if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }
}
