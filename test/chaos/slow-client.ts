import { connect, type Socket } from "node:net";

/** One way to be slow: what a client sends at once, and what it sends again and again. */
interface Slowness {
  readonly kind: string;
  readonly first: string;
  /** Sent every `everyMs`. */
  readonly drip?: string;
  readonly everyMs?: number;
  readonly isUnread?: boolean;
}

export interface SlownessResult {
  readonly kind: string;
  readonly clients: number;
  /** Seconds until the first and the last of them were closed. */
  readonly first: number;
  readonly last: number;
  readonly open: number;
  readonly answers: string;
}

const HOST = "Host: localhost\r\n";
const JSON_POST = `POST /api/auth/challenge HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`;
const KIB = 1024;

const SLOWNESSES: readonly Slowness[] = [
  { kind: "silent", first: "" },
  { kind: "half a request line", first: "GET /heal" },
  {
    kind: "half the headers",
    first: `GET /health HTTP/1.1\r\n${HOST}X-Padding: ${"a".repeat(8 * KIB)}`,
  },
  {
    kind: "headers by drops",
    first: `GET /health HTTP/1.1\r\n${HOST}X-Padding: `,
    drip: "a",
    everyMs: 1_000,
  },
  { kind: "half a body", first: `${JSON_POST}Content-Length: ${64 * KIB}\r\n\r\n{"wallet":"` },
  {
    kind: "most of a body",
    first: `${JSON_POST}Content-Length: ${64 * KIB}\r\n\r\n${" ".repeat(63 * KIB)}`,
  },
  {
    kind: "body by drops",
    first: `${JSON_POST}Content-Length: ${64 * KIB}\r\n\r\n{"wallet":"`,
    drip: "a",
    everyMs: 1_000,
  },
  {
    kind: "chunks by drops",
    first: `${JSON_POST}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`,
    drip: "1\r\n \r\n",
    everyMs: 1_000,
  },
  {
    kind: "unread answers",
    first: `GET /openapi/json HTTP/1.1\r\n${HOST}\r\n`.repeat(100),
    isUnread: true,
  },
];

export function openSlowClients(url: URL, count: number, kinds = SLOWNESSES) {
  const clients = Array.from({ length: count }, (_, index) => {
    const slowness = kinds[index % kinds.length];
    if (!slowness) throw new Error("no kind of slowness");
    return new SlowClient(url, slowness);
  });
  const snapshot = () => kinds.map((kind) => summary(kind, clients));
  return {
    closed: Promise.all(clients.map(({ closed }) => closed)).then(snapshot),
    snapshot,
    stop() {
      for (const client of clients) client.stop();
    },
  };
}

class SlowClient {
  readonly slowness: Slowness;
  readonly closed: Promise<void>;
  heldSeconds: number | null = null;
  answer = "no answer";
  readonly #socket: Socket;
  #drip: ReturnType<typeof setInterval> | undefined;

  constructor(url: URL, slowness: Slowness) {
    this.slowness = slowness;
    const { first, drip, everyMs, isUnread } = slowness;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    const started = performance.now();
    this.#socket = connect(Number(url.port), url.hostname, () => {
      this.#socket.write(first);
      if (drip) this.#drip = setInterval(() => this.#socket.write(drip), everyMs);
    });
    this.#socket.on("data", (data) => {
      if (this.answer === "no answer") this.answer = data.toString("latin1").split("\r\n")[0] ?? "";
      if (isUnread) this.#socket.pause();
    });
    // A reset closes the connection too.
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      clearInterval(this.#drip);
      this.heldSeconds = (performance.now() - started) / 1000;
      resolve();
    });
    // A client that does not read learns only by writing that it was closed.
    if (isUnread) this.#drip = setInterval(() => this.#socket.write("G"), 1_000);
  }

  stop(): void {
    clearInterval(this.#drip);
    this.#socket.destroy();
  }
}

function summary(kind: Slowness, clients: readonly SlowClient[]): SlownessResult {
  const mine = clients.filter(({ slowness }) => slowness === kind);
  const held = mine.flatMap(({ heldSeconds }) => heldSeconds ?? []);
  const answers = new Map<string, number>();
  for (const { answer } of mine) answers.set(answer, (answers.get(answer) ?? 0) + 1);
  return {
    kind: kind.kind,
    clients: mine.length,
    first: round(Math.min(...held)),
    last: round(Math.max(...held)),
    open: mine.length - held.length,
    answers: [...answers].map(([answer, times]) => `${times} × ${answer}`).join(", "),
  };
}

const round = (seconds: number) => Math.round(seconds * 10) / 10;
