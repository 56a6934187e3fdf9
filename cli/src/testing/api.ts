import type { LaunchCheck } from "@tokenctl/sdk";
import { type ErrorCode, errorCodes } from "@tokenctl/shared/error-codes";
import { type RunOptions, run, temporaryWallet } from "./cli.ts";

/** Answers one request: a `Response`, or a body that is sent as JSON with 200. */
export type Handler = (request: Request) => unknown;

/** A server that {@link serveApi} started. */
export interface TestApi extends AsyncDisposable {
  readonly url: string;
  /** Every request so far except sign-in and health, for example `GET /api/v1/tokens/`. */
  readonly requests: readonly string[];
}

const REQUEST_ID = "7f0c2d1e";
const JWT = `e30.${btoa(JSON.stringify({ iat: 0, exp: 900 })).replaceAll("=", "")}.c2ln`;

/**
 * Starts a server on a free port with a test's routes, for answers that a real server does not
 * give on request. Sign-in works unless a route replaces it.
 *
 * @param routes handlers by method and path, for example `GET /health`
 * @param upstream a server that gets every other request, sign-in included
 */
export function serveApi(routes: Readonly<Record<string, Handler>>, upstream?: string): TestApi {
  const requests: string[] = [];
  const signIn: Record<string, Handler> = {
    "POST /api/auth/challenge": () => ({ nonce: `${server.url.host}/${"n".repeat(22)}` }),
    "POST /api/auth/verify": () => ({ token: JWT }),
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const route = `${request.method} ${pathname}`;
      if (!(route in signIn) && route !== "GET /health") requests.push(route);
      const forward: Handler | undefined =
        upstream === undefined ? signIn[route] : () => fetch(upstream + pathname, request);
      const handler = routes[route] ?? forward;
      const answer = handler
        ? await handler(request)
        : refuse(404, "Not found", { code: "not_found" });
      const response = answer instanceof Response ? answer : Response.json(answer);
      // Every tokend answer has a request id. Gateways and foreign servers send no JSON here.
      if (
        response.status < 500 &&
        response.headers.get("content-type")?.includes("json") &&
        response.headers.get("x-request-id") === null
      ) {
        response.headers.set("x-request-id", REQUEST_ID);
      }
      return response;
    },
  });
  return {
    url: server.url.origin,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** Options of {@link runAgainst}. Default: a new wallet. */
interface AgainstOptions extends RunOptions {
  readonly secretKey?: Uint8Array;
}

/** Runs a command line against a server with a test's routes, as a wallet of its own. */
export async function runAgainst(
  routes: Readonly<Record<string, Handler>>,
  args: readonly string[],
  { secretKey, ...options }: AgainstOptions = {},
) {
  await using api = serveApi(routes);
  using wallet = temporaryWallet(secretKey);
  const finished = await run([...args, "--api-url", api.url, "-k", wallet.keypair], options);
  return { ...finished, url: api.url, address: wallet.address, requests: api.requests };
}

export function refuseWith(code: ErrorCode, more: object = {}): Response {
  const { status, text } = errorCodes[code];
  return refuse(status, text, { code, ...more });
}

/** Returns an answer with the contract's error body, without a code. */
export function refuse(status: number, error: string, more: object = {}): Response {
  return Response.json({ error, ...more }, { status });
}

export const goodCheck: LaunchCheck = {
  ok: true,
  refusals: [],
  endsAs: null,
  agent: { hasLaunchedToday: false, waiting: 1, accepted: 2, limit: 20 },
  queue: { depth: 4, place: 5, limit: null },
  service: { ok: true, message: null },
  fees: null,
};
