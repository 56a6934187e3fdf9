import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { isUuid } from "@tokenctl/shared/uuid";
import { Elysia } from "elysia";
import { ServiceError } from "../base/service-error.ts";
import { clientOf, RPC_WINDOW_MS, type RpcShares, type ShareLevel } from "../domain/shares.ts";
import type { Pausable } from "../domain/steering.ts";
import type { bearerPlugin, ShareAddress } from "./admit.ts";
import { parser, partialParser, readJson } from "./body.ts";
import type { AnswerHeaders } from "./headers.ts";
import { type CurrentServer, longAnswer } from "./listen.ts";
import { type Operation, publishedOperation, type RouteDetail } from "./openapi.ts";
import { type Parameters, readParameters, type ValuesOf } from "./parameters.ts";

type Route = `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`;

type NamesIn<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

export interface JsonBody<Body> {
  readonly schema: TObject;
  parse(value: unknown): Body;
}

export function json<Schema extends TObject>(schema: Schema): JsonBody<Static<Schema>> {
  const parse = parser(schema);
  const isOptional = schema.required === undefined;
  return { schema, parse: (value) => parse(isOptional ? (value ?? {}) : value) };
}

export function partialJson<Schema extends TObject>(schema: Schema) {
  return { schema, parse: partialParser(schema) };
}

interface Call<Path, Query, Headers, Body> {
  readonly request: Request;
  /** The agent's wallet; empty without sign-in. */
  readonly wallet: string;
  /** When the bearer token expires, in milliseconds since the Unix epoch; 0 without sign-in. */
  readonly expiresAt: number;
  readonly params: Readonly<Record<NamesIn<Path>, string>>;
  readonly query: ValuesOf<Query>;
  readonly headers: ValuesOf<Headers>;
  readonly body: Body;
  /** The network address that the request counts against; null if none or not `takesAddress`. */
  readonly address: string | null;
  readonly set: { status?: number | string; headers: AnswerHeaders };
}

interface EndpointOf<Path, Query extends Parameters, Headers extends Parameters, Body, Answer>
  extends Operation {
  readonly route: Path;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: JsonBody<Body>;
  /** Whether `handle` needs the network address: always, or with `isLong` only of long requests. */
  readonly takesAddress?: boolean;
  readonly limit?: (request: Request, headers: AnswerHeaders) => void;
  isLong?(query: ValuesOf<Query>): boolean;
  /** Whether it may ask the chain. Default: if it may answer `chain_unavailable`. */
  readonly asksChain?: boolean;
  readonly answer: TSchema & { readonly static: Answer };
  handle(call: Call<Path, Query, Headers, Body>): Answer | Response | Promise<Answer | Response>;
}

export type Endpoint = EndpointOf<Route, Parameters, Parameters, unknown, unknown>;

export function endpoint<
  const Path extends Route,
  Query extends Parameters = Record<never, never>,
  Headers extends Parameters = Record<never, never>,
  Body = undefined,
  Answer = unknown,
>(of: EndpointOf<Path, Query, Headers, Body, Answer>): Endpoint {
  return of as unknown as Endpoint;
}

export interface Http {
  readonly bearer: ReturnType<typeof bearerPlugin>;
  readonly server: CurrentServer;
  readonly addressOf: ShareAddress;
  readonly pauseReason: PauseReason;
  /** Null on the sandbox, whose chain is in this process. */
  readonly rpcShares: RpcShares | null;
}

export function routes(http: Http, endpoints: readonly Endpoint[]) {
  const open = new Elysia();
  const signedIn = new Elysia().use(http.bearer);
  for (const of of endpoints) {
    const [method = "", path = ""] = of.route.split(" ");
    const handle = handler(http, of);
    // Made at the document's first request, so that a start does not wait for it.
    const detail: RouteDetail = {
      operationId: of.id,
      publish: (place, links) => publishedOperation(of, place, links),
    };
    const hook = { detail };
    // Elysia parses only what the handler's parameters name, so not the body.
    const app = of.auth === "none" ? (open as unknown as typeof signedIn) : signedIn;
    app.route(
      method,
      path,
      ({ request, params, query, set, wallet, expiresAt }: Context) =>
        handle({ request, params, query, set, wallet, expiresAt }),
      hook,
    );
  }
  return open.use(signedIn);
}

interface Context {
  readonly request: Request;
  readonly params: Record<string, string>;
  readonly query: Record<string, string | undefined>;
  readonly set: Call<never, never, never, never>["set"];
  readonly wallet: string | null;
  readonly expiresAt?: number | undefined;
}

function handler({ server, addressOf, pauseReason, rpcShares }: Http, of: Endpoint) {
  const { limit, pausable, query = {}, headers = {}, body, takesAddress } = of;
  const { asksChain = of.errors.includes("chain_unavailable") } = of;
  const shares = asksChain ? rpcShares : null;
  return ({ request, params, query: given, set, wallet, expiresAt = 0 }: Context) => {
    limit?.(request, set.headers);
    const paused = pausable ? pauseError(pausable, pauseReason) : null;
    if (paused) throw paused;
    const values = readParameters(query, (name) => given[name]);
    const isLong = of.isLong?.(values);
    // Readers of UUIDs ignore case (RFC 9562, 4), and some clients write them in capitals.
    for (const name in params) {
      if (isUuid(params[name] ?? "")) params[name] = String(params[name]).toLowerCase();
    }
    const call = {
      request,
      wallet: wallet ?? "",
      expiresAt,
      params,
      query: values,
      headers: readParameters(headers, (name) => request.headers.get(name) ?? undefined),
      body: undefined as unknown,
      // Read before the body: a closed connection has no address.
      address: takesAddress && isLong !== false ? addressOf(request) : null,
      set,
    };
    const answerNow = () =>
      isLong
        ? longAnswer({ server: server(), request }, async () => of.handle(call))
        : of.handle(call);
    const client = shares && clientOf(call.wallet || undefined, addressOf(request));
    if (shares && client) refuseUsedUp(shares.usedUp(client));
    const answer = () => (shares && client ? shares.answering(client, answerNow) : answerNow());
    if (!body) return answer();
    return readJson(request).then((value) => {
      call.body = body.parse(value);
      return answer();
    });
  };
}

function refuseUsedUp(level: ShareLevel | null): void {
  if (level === null) return;
  const retryAfterSeconds = RPC_WINDOW_MS / 1_000;
  const whose = { agent: "This wallet", total: "This service", address: ADDRESS, network: ADDRESS };
  throw new ServiceError("too_many_requests", {
    retryAfterSeconds,
    advice: `${whose[level]} has caused too many requests to the chain in the last ${retryAfterSeconds} s.`,
  });
}

const ADDRESS = "The network address, or its network,";

export type PauseReason = (what: Pausable) => string | null;

export const NOT_PAUSED: PauseReason = () => null;

/** The `Retry-After` during a pause, in seconds: how long a pause lasts is unknown. */
const RETRY_SECONDS = 60;

const NAMES: Record<Pausable, string> = {
  launches: "Launches",
  claims: "Claims",
  "sign-ins": "Sign-ins",
};

export function pauseError(what: Pausable, reason: PauseReason): ServiceError | null {
  const why = reason(what);
  if (why === null) return null;
  return new ServiceError("paused", {
    text: `${NAMES[what]} are paused: ${why}`,
    retryAfterSeconds: RETRY_SECONDS,
  });
}
