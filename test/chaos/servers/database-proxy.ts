import { setTimeout as sleep } from "node:timers/promises";
import {
  cutPair,
  type Pair,
  startProxy,
  type TestProxy,
} from "../../../server/src/store/postgres/testing/proxy.ts";

/** A proxy between a server and its database, which cuts, delays and swallows what it carries. */
export class DatabaseProxy implements AsyncDisposable {
  /** Milliseconds that what is carried waits, in both directions. */
  delayMs = 0;
  readonly #losing = new WeakSet<Pair>();
  #silence: PromiseWithResolvers<void> | null = null;

  private constructor(
    private readonly target: string,
    private readonly proxy: TestProxy,
  ) {
    proxy.set({
      hold: async () => {
        await this.#silence?.promise;
        if (this.delayMs > 0) await sleep(this.delayMs);
      },
      toClient: (bytes, pair) => {
        if (!this.#losing.has(pair)) return bytes;
        cutPair(pair);
        return null;
      },
    });
  }

  /** @param target the database's URL */
  static async start(target: string): Promise<DatabaseProxy> {
    return new DatabaseProxy(target, await startProxy(Number(new URL(target).port)));
  }

  /** Its host and port, for example `127.0.0.1:41234`. */
  get host(): string {
    return `127.0.0.1:${this.proxy.port}`;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = this.host;
    return url.href;
  }

  get connections(): number {
    return this.proxy.pairs.size;
  }

  cut(): void {
    this.proxy.cut();
  }

  /** Closes each connection in place of the database's next answer: what it did stays unknown. */
  loseAnswers(): void {
    for (const pair of this.proxy.pairs) this.#losing.add(pair);
  }

  /** Carries nothing, as a network does that drops every packet; new connections hang too. */
  fallSilent(): void {
    this.#silence ??= Promise.withResolvers();
  }

  speak(): void {
    this.#silence?.resolve();
    this.#silence = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.speak();
    await this.proxy[Symbol.asyncDispose]();
  }
}
