import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

type Step =
  | { status: number; json?: unknown; text?: string; headers?: Record<string, string> }
  /** Server-Sent Events. Then the answer ends, is cut in time, or stays open. */
  | { stream: string; last: "end" | Promise<void> | "stay" }
  | "hang up"
  /** Never answers. */
  | "hang";

type Answerer = (request: SeenRequest) => Step | Promise<Step>;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  to(path: string): SeenRequest[];
  script(path: string, ...steps: (Step | Answerer)[]): void;
  /** The nonce of a challenge, counted from 1. */
  nonce(challenge: number): string;
}

/**
 * A real HTTP server whose answers a test writes. It signs everybody in by itself, and answers 404
 * to what the test did not script.
 */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const scripts = new Map<string, (Step | Answerer)[]>();
  let logins = 0;

  const signIn = (path: string): Step => {
    if (path === "/api/auth/challenge") {
      return { status: 200, json: { nonce: server.nonce(++logins) } };
    }
    // Long ago by any clock, because only the difference of the two may count.
    const issued = 1_000_000_000;
    const claims = { iat: issued, exp: issued + 900, jti: `login-${logins}` };
    return { status: 200, json: { token: jwt(claims) } };
  };

  const next = async (request: SeenRequest): Promise<Step> => {
    const path = request.path.split("?")[0] ?? "";
    const steps = scripts.get(path);
    const step = steps && steps.length > 1 ? steps.shift() : steps?.[0];
    if (typeof step === "function") return step(request);
    if (step) return step;
    if (path.startsWith("/api/auth/")) return signIn(path);
    return { status: 404, json: { error: "Not found" } };
  };

  const http = createServer(async (incoming, response) => {
    const request = await read(incoming);
    seen.push(request);
    answer(response, await next(request));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const server: ScriptedServer = {
    url: `http://${host}`,
    seen,
    nonce: (challenge) => `${host}/${String(challenge).padStart(22, "n")}`,
    to: (path) => seen.filter((request) => request.path.split("?")[0] === path),
    script: (path, ...steps) => void scripts.set(path, steps),
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

function jwt(claims: Record<string, unknown>): string {
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
  return `${encode({ alg: "HS256" })}.${encode(claims)}.c2lnbmF0dXJl`;
}

async function read(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

function answer(response: ServerResponse, step: Step): void {
  if (step === "hang") return;
  if (step === "hang up") {
    response.destroy();
    return;
  }
  if ("stream" in step) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(step.stream);
    if (step.last === "end") response.end();
    if (step.last instanceof Promise) void step.last.then(() => response.destroy());
    return;
  }
  response.writeHead(step.status, {
    "content-type": step.text === undefined ? "application/json" : "text/html",
    "x-request-id": "req-1",
    ...step.headers,
  });
  response.end(step.text ?? JSON.stringify(step.json));
}
