import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A TCP proxy between a server and its database, which cuts, delays and swallows what it carries. */
export class DatabaseProxy implements AsyncDisposable {
  /** Milliseconds that each chunk waits, in both directions. */
  delayMs = 0;
  readonly #server: Server;
  readonly #target: string;
  readonly #pairs = new Set<Pair>();
  #silence: PromiseWithResolvers<void> | null = null;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((client) => this.#serve(client));
  }

  /** @param target the database's URL */
  static async start(target: string): Promise<DatabaseProxy> {
    const proxy = new DatabaseProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Its host and port, for example `127.0.0.1:41234`. */
  get host(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the proxy has stopped");
    return `127.0.0.1:${address.port}`;
  }

  get url(): string {
    const url = new URL(this.#target);
    url.host = this.host;
    return url.href;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  cut(): void {
    for (const pair of this.#pairs) pair.close();
  }

  /** Closes each connection in place of the database's next answer: what it did stays unknown. */
  loseAnswers(): void {
    for (const pair of this.#pairs) pair.losesAnswer = true;
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
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #serve(client: Socket): void {
    const { hostname, port } = new URL(this.#target);
    const database = connect(Number(port), hostname);
    const pair: Pair = {
      losesAnswer: false,
      close: () => {
        this.#pairs.delete(pair);
        client.destroy();
        database.destroy();
      },
    };
    this.#pairs.add(pair);
    this.#carry(client, database, pair, () => false);
    this.#carry(database, client, pair, () => pair.losesAnswer);
  }

  #carry(from: Socket, to: Socket, pair: Pair, isLost: () => boolean): void {
    let turn: Promise<void> = Promise.resolve();
    const inTurn = (work: () => void) => {
      turn = turn.then(async () => {
        await this.#silence?.promise;
        if (this.delayMs > 0) await sleep(this.delayMs);
        work();
      });
    };
    from.setNoDelay(true);
    from.on("data", (chunk: Buffer) =>
      inTurn(() => {
        if (isLost()) pair.close();
        else to.write(chunk);
      }),
    );
    from.on("close", () => inTurn(() => pair.close()));
    from.on("error", () => inTurn(() => pair.close()));
  }
}

interface Pair {
  losesAnswer: boolean;
  close(): void;
}
