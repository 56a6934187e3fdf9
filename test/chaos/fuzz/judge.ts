import { TypeCompiler } from "@sinclair/typebox/compiler";
import { ErrorBodySchema } from "@tokenctl/shared/response-schemas";
import type { ErrorBody } from "@tokenctl/shared/types";
import { type Endpoint, endpointOf } from "./endpoints.ts";
import { insideShown } from "./leaks.ts";
import type { RawAnswer } from "./raw-client.ts";
import { type FuzzRequest, fill, type Values } from "./request.ts";
import { CANARY } from "./texts.ts";

const errorBody = TypeCompiler.Compile(ErrorBodySchema);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A head has at most as many bytes for Bun, about. */
const MAX_HEAD_BYTES = 15_000;

/** Holds answers to what every answer of the service promises, whatever was asked. */
export class Judge {
  readonly #secrets: readonly string[];
  readonly #requestIds = new Set<string>();

  /** @param secrets texts that no answer may hold */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /**
   * @param headSize bytes of the request up to its body
   * @returns the endpoint that answered, if one did
   * @throws {Error} saying what promise the answer broke
   */
  judge(
    request: FuzzRequest,
    headSize: number,
    answer: RawAnswer,
    values: Values,
  ): Endpoint | undefined {
    const { status, headers, body } = answer;
    const { pathname } = new URL(`http://localhost${fill(request.target, values)}`);
    const endpoint = endpointOf(request.method, pathname);
    const broken = (what: string) => new Error(`${what}: ${status} ${body.slice(0, 2_000)}`);

    if (status === 431) {
      // The HTTP parser's own answer, which nothing of the service's sees.
      if (headSize <= MAX_HEAD_BYTES || body !== "") throw broken("it is not too long");
      return undefined;
    }
    if (!(status >= 200 && status < 500)) throw broken("it is neither done nor refused");
    const requestId = headers.get("x-request-id") ?? "";
    if (!UUID.test(requestId)) throw broken("it has no request id");
    if (this.#requestIds.has(requestId)) throw broken("another answer has its request id");
    this.#requestIds.add(requestId);
    if (headers.get("x-content-type-options") !== "nosniff")
      throw broken("its type may be guessed");

    const all = `${[...headers.values()].join("\n")}\n${body}`;
    const secret = this.#secrets.find((text) => all.includes(text));
    if (secret !== undefined) throw broken("it tells a secret");
    if (request.method === "HEAD") {
      if (body !== "") throw broken("an answer to HEAD has a body");
      return endpoint;
    }
    if (endpoint?.isRpc) judgeRpc(answer, broken);
    else if (status < 300) judgeSuccess(request, answer, endpoint, values, broken);
    else judgeError(answer, broken);
    return endpoint;
  }
}

type Broken = (what: string) => Error;

function judgeError({ headers, body }: RawAnswer, broken: Broken): void {
  if (headers.get("content-type") !== "application/json;charset=utf-8") {
    throw broken(`an error is of type ${headers.get("content-type")}`);
  }
  const parsed = parse(body, broken);
  if (!errorBody.Check(parsed)) throw broken("an error has not the contract's body");
  const inside = insideShown(body);
  if (inside !== null) throw broken(`an error shows the inside (${inside})`);
  if (withoutFieldNames(parsed).includes(CANARY)) throw broken("an error repeats what was sent");
}

/** The contract lets a detail name the field that it is about. */
function withoutFieldNames({ details, ...rest }: ErrorBody): string {
  return JSON.stringify([rest, details?.map(({ message }) => message)]);
}

function judgeSuccess(
  request: FuzzRequest,
  { headers, body }: RawAnswer,
  endpoint: Endpoint | undefined,
  values: Values,
  broken: Broken,
): void {
  if (!endpoint) throw broken("what is no endpoint succeeded");
  const isPage = headers.get("content-type")?.startsWith("text/html");
  if (!endpoint.answer.Check(isPage ? body : parse(body, broken))) {
    throw broken("a success has not its published shape");
  }
  if (endpoint.access === "public") return;
  const sent = request.headers.find(([name]) => name === "Authorization")?.[1] ?? "";
  if (!/^bearer +\{\{(?:token|otherToken)\}\} *$/i.test(sent)) throw broken("nobody was let in");
  if (!sent.includes("{{otherToken}}") || endpoint.path.startsWith("/dev/")) return;
  const foreign = [values.mint, values.pool, values.eventId, values.limitedEventId];
  if (foreign.some((text) => text && body.includes(text)))
    throw broken("it tells of another agent");
}

/** Errors of JSON-RPC are in answers with 200; what is no call at all is refused in plain text. */
function judgeRpc({ status, body }: RawAnswer, broken: Broken): void {
  const inside = insideShown(body);
  if (inside !== null) throw broken(`JSON-RPC shows the inside (${inside})`);
  if (status !== 200 || body === "") return;
  const replies = [parse(body, broken)].flat() as { error?: { code: number } }[];
  if (replies.some(({ error }) => error?.code === -32603)) throw broken("JSON-RPC failed inside");
}

function parse(body: string, broken: Broken): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw broken("it is not JSON");
  }
}
