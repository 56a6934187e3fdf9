import { createSocket, type RemoteInfo } from "node:dgram";

const HEADER_BYTES = 12;
const SERVFAIL = 2;
const TYPE_A = 1;
const TYPE_AAAA = 28;

export interface DnsAnswer {
  readonly a?: readonly [number, number, number, number];
  readonly aaaa?: Uint8Array;
}

/** Returns the records of a name. `silent` never answers. */
export type Answering = (name: string) => DnsAnswer | "silent" | "servfail" | Promise<"servfail">;

export class DnsServer implements AsyncDisposable {
  readonly #socket = createSocket("udp4");
  #isClosed = false;
  readonly #asked = new Map<string, PromiseWithResolvers<void>>();
  readonly names: string[] = [];

  private constructor(private readonly answer: Answering) {
    this.#socket.on("message", (query, client) => void this.#reply(query, client));
  }

  static async start(answer: Answering): Promise<DnsServer> {
    const server = new DnsServer(answer);
    await new Promise<void>((resolve) => server.#socket.bind(0, "127.0.0.1", resolve));
    return server;
  }

  /** The address in the form of resolvers, for example `127.0.0.1:5353`. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Waits until the server is asked for a name. */
  asked(name: string): Promise<void> {
    return this.#askedFor(name).promise;
  }

  async #reply(query: Buffer, client: RemoteInfo): Promise<void> {
    const labels: string[] = [];
    let at = HEADER_BYTES;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const type = query.readUInt16BE(at + 1);
    const question = query.subarray(HEADER_BYTES, at + 5);
    const name = labels.join(".");
    this.names.push(name);
    this.#askedFor(name).resolve();
    const answer = await this.answer(name);
    if (answer === "silent" || this.#isClosed) return;
    const record = answer === "servfail" ? null : recordOf(answer, type);
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (answer === "servfail" ? SERVFAIL : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(record ? 1 : 0, 6);
    const reply = Buffer.concat([header, question, record ?? Buffer.alloc(0)]);
    this.#socket.send(reply, client.port, client.address);
  }

  #askedFor(name: string): PromiseWithResolvers<void> {
    const asked = this.#asked.get(name) ?? Promise.withResolvers<void>();
    this.#asked.set(name, asked);
    return asked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }
}

/** Returns a resource record for the question, valid for 60 s; null without one of this type. */
function recordOf({ a, aaaa }: DnsAnswer, type: number): Buffer | null {
  const data = type === TYPE_A ? a : type === TYPE_AAAA ? aaaa : undefined;
  if (!data) return null;
  const head = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
  return Buffer.concat([head, Buffer.from(data)]);
}
