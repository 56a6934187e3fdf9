import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds between two health checks of a server. */
const CHECK_MS = 200;
const CHECK_TIMEOUT_MS = 10_000;
/** Headers of one connection, which a proxy does not pass on (RFC 9110, 7.6.1). */
const OF_ONE_CONNECTION = ["connection", "keep-alive", "transfer-encoding"];

interface Backend {
  readonly url: string;
  isHealthy: boolean;
  /** Requests that it has not answered yet. */
  waiting: number;
}

/**
 * An HTTP load balancer: in turn to each server whose `/ready` answers 200, over connections that
 * it keeps. Like most, it repeats nothing: a request that a server does not answer gets 502.
 */
export class Balancer implements AsyncDisposable {
  readonly statuses: Record<number, number> = {};
  readonly #backends: Backend[] = [];
  readonly #http: Bun.Server<undefined>;
  readonly #stop = new AbortController();
  readonly #checks: Promise<void>[] = [];
  #turn = 0;

  constructor() {
    this.#http = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 120,
      fetch: async (request) => {
        const response = await this.#pass(request);
        this.statuses[response.status] = (this.statuses[response.status] ?? 0) + 1;
        return response;
      },
    });
  }

  get url(): string {
    return this.#http.url.origin;
  }

  add(url: string): void {
    const backend = { url, isHealthy: false, waiting: 0 };
    this.#backends.push(backend);
    this.#checks.push(this.#watch(backend));
  }

  /** Waits until exactly `count` servers are healthy. */
  async untilHealthy(count: number): Promise<void> {
    while (this.#backends.filter(({ isHealthy }) => isHealthy).length !== count) await sleep(20);
  }

  /** Waits until exactly `count` servers are healthy, and the others have answered all that they got. */
  async untilDrained(count: number): Promise<void> {
    await this.untilHealthy(count);
    while (this.#backends.some(({ isHealthy, waiting }) => !isHealthy && waiting > 0))
      await sleep(20);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#checks);
    await this.#http.stop(true);
  }

  async #pass(request: Request): Promise<Response> {
    const healthy = this.#backends.filter(({ isHealthy }) => isHealthy);
    const backend = healthy[this.#turn++ % healthy.length];
    if (!backend) return new Response("no server is healthy", { status: 503 });
    const { pathname, search } = new URL(request.url);
    backend.waiting++;
    try {
      const answer = await fetch(`${backend.url}${pathname}${search}`, {
        method: request.method,
        headers: withoutConnection(request.headers),
        body: request.body ? await request.arrayBuffer() : null,
        redirect: "manual",
        decompress: false,
      });
      return new Response(await answer.arrayBuffer(), {
        status: answer.status,
        headers: withoutConnection(answer.headers),
      });
    } catch {
      return new Response("the server did not answer", { status: 502 });
    } finally {
      backend.waiting--;
    }
  }

  async #watch(backend: Backend): Promise<void> {
    while (!this.#stop.signal.aborted) {
      backend.isHealthy = await isHealthy(backend.url);
      await sleep(CHECK_MS);
    }
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    return (await fetch(`${url}/ready`, { signal, keepalive: false })).ok;
  } catch {
    return false;
  }
}

function withoutConnection(headers: Headers): Headers {
  const kept = new Headers(headers);
  for (const name of OF_ONE_CONNECTION) kept.delete(name);
  return kept;
}
