import type { ServerWebSocket, WebSocketHandler } from "bun";
import type { LocalChain } from "../chain.ts";
import { stringifyExact } from "../exact-json.ts";
import { answerBody, MAX_BODY_BYTES, type OnFault } from "./handler.ts";
import { commitmentOf, type Methods, type Params, refused, withContext } from "./method.ts";

const POLL_MS = 100;
/** How many subscriptions may be open: each is read at every poll. */
const MAX_SUBSCRIPTIONS = 1_000;

interface Subscription {
  readonly socket: ServerWebSocket<undefined>;
  readonly notification: "signatureNotification" | "slotNotification";
  readonly read: () => object | null;
}

/**
 * The RPC's websocket: `signatureSubscribe` and `slotSubscribe`, by which web3.js, kit and Anchor
 * confirm transactions. It refuses other subscriptions.
 */
export class Subscriptions {
  readonly #open = new Map<number, Subscription>();
  #lastId = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(
    private readonly chain: LocalChain,
    private readonly onFault: OnFault,
  ) {}

  readonly handler: WebSocketHandler<undefined> = {
    maxPayloadLength: MAX_BODY_BYTES,
    message: (socket, message) => {
      const [chain, onFault, methods] = [this.chain, this.onFault, this.#methods(socket)];
      const answer = answerBody({ chain, onFault, methods }, String(message));
      // Clients keep the connection open by notifications, which get no answer.
      if (answer !== null) socket.send(stringifyExact(answer));
      this.#poll();
    },
    close: (socket) => this.#forget(socket),
  };

  close(): void {
    this.#open.clear();
    this.#poll();
  }

  #methods(socket: ServerWebSocket<undefined>): Methods {
    const add = (of: Omit<Subscription, "socket">) => {
      if (this.#open.size >= MAX_SUBSCRIPTIONS) {
        throw refused(`At most ${MAX_SUBSCRIPTIONS} subscriptions may be open`);
      }
      this.#open.set(++this.#lastId, { socket, ...of });
      return this.#lastId;
    };
    const remove = (_: LocalChain, params: Params) => {
      const id = params.integer(0);
      return this.#open.get(id)?.socket === socket && this.#open.delete(id);
    };
    return {
      signatureSubscribe: (chain, params) =>
        add({ notification: "signatureNotification", read: signatureReader(chain, params) }),
      slotSubscribe: (chain) => add({ notification: "slotNotification", read: slotReader(chain) }),
      signatureUnsubscribe: remove,
      slotUnsubscribe: remove,
    };
  }

  #forget(socket: Subscription["socket"]): void {
    for (const [id, subscription] of this.#open) {
      if (subscription.socket === socket) this.#open.delete(id);
    }
  }

  /** Notifies subscribers of news, of a signature once. Repeats while there are subscribers. */
  #poll(): void {
    for (const [id, { socket, notification, read }] of this.#open) {
      try {
        const result = read();
        if (result === null) continue;
        if (notification === "signatureNotification") this.#open.delete(id);
        const params = { result, subscription: id };
        socket.send(stringifyExact({ jsonrpc: "2.0", method: notification, params }));
      } catch (error) {
        // For example, the disk is full.
        this.#forget(socket);
        socket.close();
        this.onFault(error);
      }
    }
    if (this.#open.size > 0) {
      this.#timer ??= setInterval(() => this.#poll(), POLL_MS);
    } else if (this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }
}

function signatureReader(chain: LocalChain, params: Params): Subscription["read"] {
  const signature = params.signature(0);
  const commitment = commitmentOf(params.config(1));
  return () => {
    const status = chain.transactions.status(signature);
    if (status === null || (commitment === "finalized" && !status.finalized)) return null;
    return withContext(chain, { commitment: "processed" }, { err: status.error });
  };
}

function slotReader(chain: LocalChain): Subscription["read"] {
  let last = chain.slot();
  return () => {
    const slot = chain.slot();
    if (slot === last) return null;
    last = slot;
    return { slot, parent: slot - 1, root: chain.slots.finalized };
  };
}
