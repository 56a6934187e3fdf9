import { Webhook } from "standardwebhooks";

export interface ReceivedMessage {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly event: { readonly id?: number; readonly type: string; readonly data: object };
}

/** @param gone resolves if the sender gives the message up */
type Answer = (message: ReceivedMessage, gone: Promise<void>) => Response | Promise<Response>;

const OK: Answer = () => new Response(null, { status: 204 });

export class Receiver implements AsyncDisposable {
  readonly messages: ReceivedMessage[] = [];
  readonly #server;
  readonly #waiting = new Set<() => void>();
  answer: Answer = OK;

  constructor(answer: Answer = OK) {
    this.answer = answer;
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        const body = await request.text();
        const headers = Object.fromEntries(request.headers);
        const message = {
          id: headers["webhook-id"] ?? "",
          headers,
          body,
          event: JSON.parse(body) as ReceivedMessage["event"],
        };
        this.messages.push(message);
        for (const check of this.#waiting) check();
        const { promise: gone, resolve } = Promise.withResolvers<void>();
        request.signal.addEventListener("abort", () => resolve());
        return this.answer(message, gone);
      },
    });
  }

  get url(): string {
    return `${this.#server.url.origin}/hook`;
  }

  get events(): (number | undefined)[] {
    return this.messages.map(({ event }) => event.id);
  }

  /** Waits until this many messages have arrived, and returns the last one. */
  async got(count: number): Promise<ReceivedMessage> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (this.messages.length >= count) resolve();
    };
    this.#waiting.add(check);
    check();
    await promise;
    this.#waiting.delete(check);
    const last = this.messages[count - 1];
    if (!last) throw new Error("the message is there");
    return last;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

/** Returns whether the `standardwebhooks` package accepts a message for this secret. */
export function hasSecret({ headers, body }: ReceivedMessage, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
