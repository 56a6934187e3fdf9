import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type ChooseFault, type Fault, garbage } from "./rpc-faults.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly fault: Fault | null;
}

export interface RpcProxyOptions {
  readonly node: string;
  /** Milliseconds after which a transaction's blockhash has surely expired. */
  readonly expiryMs: number;
  /** How long "slow" answers take at most, in milliseconds. */
  readonly slowMs: number;
}

/** A proxy on the loopback interface between a server and its RPC, which makes requests fail. */
export class RpcProxy {
  readonly calls: RpcCall[] = [];
  /** URL of a node that is behind its cluster; the proxy's own node until it is set. */
  staleNode: string;
  readonly #options: RpcProxyOptions;
  readonly #server: Server;
  readonly #hanging = new Set<ServerResponse>();
  #choose: ChooseFault = () => null;
  #garbageServed = 0;

  private constructor(options: RpcProxyOptions) {
    this.#options = options;
    this.staleNode = options.node;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(options: RpcProxyOptions): Promise<RpcProxy> {
    const proxy = new RpcProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Host and port, which no answer and no line of a log may contain. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  startFaults(choose: ChooseFault): void {
    this.#choose = choose;
  }

  /** Lets requests succeed again, and closes the connections that hang. */
  stopFaults(): void {
    this.#choose = () => null;
    for (const response of this.#hanging) response.destroy();
    this.#hanging.clear();
  }

  get faultyCalls(): number {
    return this.calls.filter(({ fault }) => fault !== null).length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const { method, params = [] } = JSON.parse(body) as { method: string; params?: unknown[] };
    const fault = this.#choose(method);
    this.calls.push({ method, params, fault });
    if (fault === null) {
      return answer(response, 200, await this.#forward(body));
    }
    await this.#fail(fault, method, body, response);
  }

  async #fail(fault: Fault, method: string, body: string, response: ServerResponse) {
    const { expiryMs, slowMs } = this.#options;
    switch (fault) {
      case "request lost":
        return void response.destroy();
      case "answer lost":
        await this.#forward(body);
        return void response.destroy();
      case "429":
        return answer(response, 429, "Too many requests");
      case "429 with Retry-After":
        return answer(response, 429, "Too many requests", { "retry-after": "2" });
      case "500":
        return answer(response, 500, `<html>Error at http://${this.host}/</html>`);
      case "garbage":
        return answer(response, 200, garbage(this.#garbageServed++));
      case "half a body":
        return half(response, await this.#forward(body));
      case "stale node":
        return answer(response, 200, await this.#forward(body, this.#staleNodeFor(method)));
      case "forgetful node":
        return answer(response, 200, forget(method, await this.#forward(body)));
      case "late delivery":
        if (method === "sendTransaction") await Bun.sleep(expiryMs);
        return answer(response, 200, await this.#forward(body));
      case "hang":
        return void this.#hanging.add(response);
      case "slow":
        await Bun.sleep(Math.random() * slowMs);
        return answer(response, 200, await this.#forward(body));
    }
  }

  #staleNodeFor(method: string): string {
    return method === "sendTransaction" ? this.#options.node : this.staleNode;
  }

  async #forward(body: string, node = this.#options.node): Promise<string> {
    const response = await fetch(node, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return response.text();
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function answer(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(text);
}

function half(response: ServerResponse, text: string): void {
  const bytes = Buffer.from(text);
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": String(bytes.length),
  });
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
}

function forget(method: string, text: string): string {
  if (method !== "getSignatureStatuses") return text;
  const reply = JSON.parse(text) as { result?: { value: unknown[] } };
  if (reply.result) reply.result.value = reply.result.value.map(() => null);
  return JSON.stringify(reply);
}
