import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy in front of a server that comes and goes; it cuts connections, in the middle of a message too. */
export class StreamCutter implements AsyncDisposable {
  readonly #server;
  readonly #clients = new Set<Socket>();
  /** The port of the server; 0 while there is none. */
  target = 0;
  /** Connections that were cut. */
  cuts = 0;
  /** Streams that the server ended because their token had expired. */
  expiries = 0;
  #mayCut = false;
  #messages = 0;

  private constructor() {
    this.#server = createServer((client) => this.#forward(client));
  }

  static async start(): Promise<StreamCutter> {
    const cutter = new StreamCutter();
    const { promise, resolve } = Promise.withResolvers<void>();
    cutter.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return cutter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on each third piece of events is the last of its connection, and comes in half. */
  set mayCut(mayCut: boolean) {
    this.#mayCut = mayCut;
  }

  /** Cuts half of the connections that are open. */
  cutHalf(): void {
    for (const [index, client] of [...this.#clients].entries()) {
      if (index % 2 === 0) this.#cut(client);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.destroy();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  #forward(client: Socket): void {
    this.#clients.add(client);
    const upstream = connect(this.target, "127.0.0.1");
    const end = () => {
      this.#clients.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      const text = bytes.toString("latin1");
      if (text.includes("token_expired")) this.expiries++;
      const isStream = text.includes("\nevent: launch.");
      if (isStream && this.#mayCut && ++this.#messages % 3 === 0) {
        client.write(bytes.subarray(0, bytes.length / 2), () => this.#cut(client));
      } else client.write(bytes);
    });
  }

  #cut(client: Socket): void {
    this.cuts++;
    client.destroy();
  }
}
