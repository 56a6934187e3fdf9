import { AuthenticationError } from "../api-errors.ts";
import { InvalidResponseError } from "../errors.ts";
import type { Answer } from "./answer.ts";
import { toApiError } from "./api-error.ts";
import type { Repeat, RetryPolicy } from "./retry.ts";
import { withRetries } from "./retry.ts";
import type { SessionKeeper } from "./session.ts";
import type { HttpRequest, Transport } from "./transport.ts";

/** One call of an endpoint: the request, and the answer that the contract promises. */
export interface Call<T> extends HttpRequest {
  readonly answer: Answer<T>;
  readonly repeat: Repeat;
  /** Statuses besides 2xx whose body is an answer, not an error. */
  readonly alsoAnswers?: readonly number[];
  /** The wallet that the call is made for, base58. */
  readonly wallet?: string;
}

/**
 * Makes a call, and makes it again if that is safe and may help.
 *
 * @throws {ApiError} if the server refuses
 * @throws {InvalidResponseError} if the answer does not follow the contract
 * @throws what the transport throws
 */
export function call<T>(transport: Transport, policy: RetryPolicy, request: Call<T>): Promise<T> {
  return withRetries(() => once(transport, request), request.repeat, policy, request.signal);
}

/** Makes a call with a bearer token. Signs in anew once if the server refuses the token. */
export async function callSignedIn<T>(
  transport: Transport,
  policy: RetryPolicy,
  session: SessionKeeper,
  request: Call<T>,
): Promise<T> {
  return withBearer(session, request.signal, (token) =>
    call(transport, policy, {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
    }),
  );
}

/** Sends a request with a bearer token, and once more with a new one if the server refuses the token. */
export async function withBearer<T>(
  session: SessionKeeper,
  signal: AbortSignal | undefined,
  send: (token: string) => Promise<T>,
): Promise<T> {
  const token = await session.bearer(signal);
  try {
    return await send(token);
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    session.discard(token);
    return send(await session.bearer(signal));
  }
}

async function once<T>(transport: Transport, request: Call<T>): Promise<T> {
  const answer = await transport(request);
  const isAnswer =
    (answer.status >= 200 && answer.status < 300) ||
    (request.alsoAnswers?.includes(answer.status) === true &&
      request.answer.check(answer.body) === null);
  if (!isAnswer) throw toApiError(answer, request.wallet);
  const problem = answer.body === undefined ? " is not JSON" : request.answer.check(answer.body);
  if (problem !== null) {
    throw new InvalidResponseError(
      `The answer to ${request.method} ${request.path} is not of the contract: body${problem}`,
      answer.status,
      answer.requestId,
    );
  }
  return answer.body as T;
}
