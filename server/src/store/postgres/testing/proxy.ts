import { connect, createServer, type Socket } from "node:net";

/** Returns the bytes to pass on, changed or as they are; null to hold them back. */
type Pass = (bytes: Buffer, pair: Pair) => Buffer | null;

export interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export interface ProxyOptions {
  readonly toServer?: Pass;
  readonly toClient?: Pass;
  /** Awaited before bytes or the end of a connection are passed on, one after the other. */
  readonly hold?: () => Promise<void>;
}

export interface TestProxy extends AsyncDisposable {
  readonly port: number;
  readonly opened: number;
  readonly pairs: ReadonlySet<Pair>;
  /** Changes what happens to the bytes of open and new connections. */
  set(options: ProxyOptions): void;
  cut(): void;
}

export async function startProxy(target: number, options: ProxyOptions = {}): Promise<TestProxy> {
  const pairs = new Set<Pair>();
  let passes = options;
  let opened = 0;
  const listener = createServer((client) => {
    opened++;
    const server = connect(target, "127.0.0.1");
    const pair = { client, server };
    pairs.add(pair);
    const forward = (from: Socket, to: Socket, pass: "toServer" | "toClient") => {
      let turn = Promise.resolve();
      const carry = (work: () => void) => {
        if (passes.hold) turn = turn.then(passes.hold).then(work);
        else work();
      };
      from.on("data", (bytes: Buffer) =>
        carry(() => {
          const passed = passes[pass] ? passes[pass](bytes, pair) : bytes;
          if (passed) to.write(passed);
        }),
      );
      from.on("error", () => {});
      from.on("close", () =>
        carry(() => {
          pairs.delete(pair);
          to.end();
        }),
      );
    };
    forward(client, server, "toServer");
    forward(server, client, "toClient");
  });
  const listening = Promise.withResolvers<void>();
  listener.listen(0, "127.0.0.1", () => listening.resolve());
  await listening.promise;
  const cut = () => {
    for (const pair of pairs) cutPair(pair);
  };
  return {
    port: (listener.address() as { port: number }).port,
    get opened() {
      return opened;
    },
    pairs,
    set: (changed) => {
      passes = changed;
    },
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

export function cutPair({ client, server }: Pair): void {
  client.destroy();
  server.destroy();
}

export function throughPort(url: string, port: number): string {
  return url.replace(/:\d+\//, `:${port}/`);
}
