import { connect, type Socket } from "node:net";

/** An answer, byte by byte. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** How long an answer may take, in milliseconds. */
const ANSWER_MS = 20_000;
const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * Speaks HTTP/1.1 by bytes, one request after the other on one connection: `fetch` would correct
 * the paths, methods and headers of the tests. Bytes that answer no request are an error.
 */
export class RawClient {
  readonly #port: number;
  readonly #host: string;
  #socket: Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #waiting: (() => void) | null = null;

  constructor(url: URL) {
    this.#port = Number(url.port);
    this.#host = url.hostname;
  }

  /**
   * @param request the bytes of one whole request
   * @throws {Error} if no whole answer comes
   */
  async exchange(request: Buffer, { isHead = false, isLast = false } = {}): Promise<RawAnswer> {
    if (this.#received.length > 0)
      throw new Error(`answer to no request: ${this.#received.toString("latin1")}`);
    this.#open().write(request);
    const deadline = performance.now() + ANSWER_MS;
    for (;;) {
      const answer = readAnswer(this.#received, isHead, this.#socket === null);
      if (answer) {
        this.#received = this.#received.subarray(answer.length);
        if (isLast || answer.headers.get("connection") === "close") this.close();
        return answer;
      }
      if (this.#socket === null) throw new Error("closed without an answer");
      if (performance.now() > deadline) throw new Error("no answer");
      await this.#more();
    }
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
    this.#received = Buffer.alloc(0);
  }

  #open(): Socket {
    if (this.#socket) return this.#socket;
    const socket = connect(this.#port, this.#host);
    socket.setNoDelay(true);
    this.#received = Buffer.alloc(0);
    socket.on("data", (data: Buffer) => {
      if (socket !== this.#socket) return;
      this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data]);
      this.#waiting?.();
    });
    // A reset closes the connection too.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (socket === this.#socket) this.#socket = null;
      this.#waiting?.();
    });
    this.#socket = socket;
    return socket;
  }

  /** Resolves when bytes came, the connection closed or the time is over. */
  #more(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ANSWER_MS);
    this.#waiting = resolve;
    return promise.finally(() => clearTimeout(timer));
  }
}

interface Parsed extends RawAnswer {
  /** How many bytes it took. */
  readonly length: number;
}

/** @returns null if the answer is not complete yet */
function readAnswer(bytes: Buffer, isHead: boolean, isClosed: boolean): Parsed | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return null;
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  const start = end + HEAD_END.length;
  if (status === 100) {
    const rest = readAnswer(bytes.subarray(start), isHead, isClosed);
    return rest && { ...rest, length: rest.length + start };
  }
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const length = isHead || status === 204 || status === 304 ? 0 : bodyLength(headers);
  if (bytes.length - start < length) return null;
  const body = bytes.subarray(start, start + length).toString("utf8");
  return { status, headers, body, length: start + length };
}

function bodyLength(headers: ReadonlyMap<string, string>): number {
  if (headers.has("transfer-encoding")) throw new Error("the service answers in chunks");
  return Number(headers.get("content-length") ?? 0);
}
