/**
 * What web3.js imports of rpc-websockets, in everything that is bundled: that package is under the LGPL, and
 * only subscriptions use it, which no program of ours makes.
 */
export class CommonClient {
  /** Each `Connection` makes a client and listens to it. */
  on(): this {
    return this;
  }

  connect(): never {
    throw new Error("This program has no websockets: poll instead of subscribing");
  }
}

/** Only a client that connects calls it. */
export function WebSocket(): never {
  throw new Error("This program has no websockets");
}
