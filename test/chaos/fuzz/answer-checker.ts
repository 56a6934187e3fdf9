import { TypeCompiler } from "@sinclair/typebox/compiler";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import type { ErrorBody } from "@tokenctl/shared/types";
import { differsFromTable } from "../../support/error-table.ts";
import { type Endpoint, endpointOf } from "./endpoints.ts";
import { insideShown } from "./leaks.ts";
import type { RawAnswer } from "./raw-client.ts";
import { type FuzzRequest, fill, type Values } from "./request.ts";
import { CANARY } from "./texts.ts";

const errorBody = TypeCompiler.Compile(ErrorBodySchema);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Bun refuses heads of more bytes, about. */
const MAX_HEAD_BYTES = 15_000;

/** Checks each answer against what the service promises of all its answers. */
export class AnswerChecker {
  readonly #secrets: readonly string[];
  readonly #requestIds = new Set<string>();

  /** @param secrets texts that no answer may contain */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  /**
   * @param headSize bytes of the request up to its body
   * @returns the endpoint that answered, if one did
   * @throws {Error} if the answer breaks a promise; its message names the promise
   */
  check(
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
      // Bun's HTTP parser answers this itself.
      if (headSize <= MAX_HEAD_BYTES || body !== "") throw broken("its head is short enough");
      return undefined;
    }
    if (!(status >= 200 && status < 500)) throw broken("it is neither a success nor a refusal");
    const requestId = headers.get("x-request-id") ?? "";
    if (!UUID.test(requestId)) throw broken("it has no request id");
    if (this.#requestIds.has(requestId)) throw broken("another answer has its request id");
    this.#requestIds.add(requestId);
    if (headers.get("x-content-type-options") !== "nosniff")
      throw broken("its type may be guessed");

    const all = `${[...headers.values()].join("\n")}\n${body}`;
    const secret = this.#secrets.find((text) => all.includes(text));
    if (secret !== undefined) throw broken("it contains a secret");
    if (request.method === "HEAD") {
      if (body !== "") throw broken("an answer to HEAD has a body");
      return endpoint;
    }
    if (endpoint?.isRpc) checkRpc(answer, broken);
    else if (status < 300) checkSuccess(request, answer, endpoint, values, broken);
    else checkError(answer, broken);
    return endpoint;
  }
}

type Broken = (what: string) => Error;

function checkError({ status, headers, body }: RawAnswer, broken: Broken): void {
  if (headers.get("content-type") !== "application/json;charset=utf-8") {
    throw broken(`an error is of type ${headers.get("content-type")}`);
  }
  const parsed = parse(body, broken);
  if (!errorBody.Check(parsed)) throw broken("an error does not have the contract's body");
  const difference = differsFromTable(status, parsed);
  if (difference !== null) throw broken(`an error is ${difference}`);
  const inside = insideShown(body);
  if (inside !== null) throw broken(`an error shows the inside (${inside})`);
  if (withoutFieldNames(parsed).includes(CANARY)) throw broken("an error repeats what was sent");
}

/** The contract permits a detail to name its field. */
function withoutFieldNames({ details, ...rest }: ErrorBody): string {
  return JSON.stringify([rest, details?.map(({ message }) => message)]);
}

function checkSuccess(
  request: FuzzRequest,
  { headers, body }: RawAnswer,
  endpoint: Endpoint | undefined,
  values: Values,
  broken: Broken,
): void {
  if (!endpoint) throw broken("an unknown path succeeded");
  const isText = headers.get("content-type")?.startsWith("text/");
  if (!endpoint.answer.Check(isText ? body : parse(body, broken))) {
    throw broken("a success does not have its published shape");
  }
  if (endpoint.access === "public") return;
  const sent = request.headers.find(([name]) => name === "Authorization")?.[1] ?? "";
  if (!/^bearer +\{\{(?:token|otherToken)\}\} *$/i.test(sent))
    throw broken("a request without a good token succeeded");
  if (!sent.includes("{{otherToken}}") || endpoint.path.startsWith("/dev/")) return;
  const foreign = [
    values.cancelledEventId,
    values.mint,
    values.pool,
    values.eventId,
    values.limitedEventId,
  ];
  if (foreign.some((text) => text && body.includes(text)))
    throw broken("it shows another agent's things");
}

/** JSON-RPC answers errors with 200, and refuses a body that is no call in plain text. */
function checkRpc({ status, body }: RawAnswer, broken: Broken): void {
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
