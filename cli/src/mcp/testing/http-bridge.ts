/** An MCP server on stdin and stdout, as one of Streamable HTTP. */
export interface HttpBridge extends AsyncDisposable {
  readonly url: string;
}

/** Starts one process for each session of a client. */
export function bridgeToHttp(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): HttpBridge {
  const sessions = new Map<string, Session>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const message = (await request.json()) as { id?: number | string; method?: string };
      const id = request.headers.get("mcp-session-id") ?? crypto.randomUUID();
      if (message.method === "initialize") sessions.set(id, new Session(command, env));
      const session = sessions.get(id);
      if (session === undefined) return new Response(null, { status: 404 });
      if (message.id === undefined) {
        session.send(message);
        return new Response(null, { status: 202 });
      }
      const answer = await session.ask(message.id, message);
      return Response.json(answer, { headers: { "mcp-session-id": id } });
    },
  });
  return {
    url: `${server.url.origin}/mcp`,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      await Promise.all(Array.from(sessions.values(), (session) => session.end()));
    },
  };
}

class Session {
  readonly #process: ReturnType<typeof start>;
  readonly #asked = new Map<number | string, (answer: unknown) => void>();

  constructor(command: readonly string[], env: Readonly<Record<string, string>>) {
    this.#process = start(command, env);
    void this.#read();
  }

  send(message: object): void {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`);
    void this.#process.stdin.flush();
  }

  ask(id: number | string, message: object): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#asked.set(id, resolve);
    this.send(message);
    return promise;
  }

  async end(): Promise<void> {
    await this.#process.stdin.end();
    await this.#process.exited;
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of this.#process.stdout) {
      text += decoder.decode(chunk, { stream: true });
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const answer: { id?: number | string } = JSON.parse(line);
        if (answer.id !== undefined) this.#asked.get(answer.id)?.(answer);
      }
    }
  }
}

function start(command: readonly string[], env: Readonly<Record<string, string>>) {
  return Bun.spawn([...command], { env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
}
