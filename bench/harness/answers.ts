import { isDeepStrictEqual } from "node:util";
import type { Running } from "./contestant.ts";

/** An answer is wrong, so that its time means nothing. */
export class WrongAnswerError extends Error {
  override readonly name = "WrongAnswerError";
}

/** Sends one request. @throws {WrongAnswerError} if the answer has no request id */
export async function ask(
  server: Running,
  path: string,
  options: { readonly token?: string | undefined; readonly json?: unknown } = {},
): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await fetch(server.url + path, {
    method: options.json === undefined ? "GET" : "POST",
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.json !== undefined && { "content-type": "application/json" }),
    },
    body: options.json === undefined ? null : JSON.stringify(options.json),
  });
  const requestId = response.headers.get("x-request-id") ?? "";
  if (!/^[0-9a-f-]{36}$/.test(requestId)) {
    throw new WrongAnswerError(`${server.name} answers ${path} without a request id`);
  }
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** @throws {WrongAnswerError} if an answer has another status or body */
export function expectAnswer(
  server: Running,
  answer: { readonly status: number; readonly body: unknown },
  status: number,
  body?: unknown,
): void {
  if (answer.status === status && (body === undefined || isDeepStrictEqual(answer.body, body))) {
    return;
  }
  throw new WrongAnswerError(
    `${server.name} answered ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 500)}, ` +
      `not ${status}${body === undefined ? "" : ` ${JSON.stringify(body)?.slice(0, 500)}`}`,
  );
}

/** @throws {WrongAnswerError} if a server accepts a request without a token or with a wrong one */
export async function expectLocked(server: Running, path: string, token: string): Promise<void> {
  expectAnswer(server, await ask(server, path), 401, {
    error: "Missing or invalid authorization header",
    code: "missing_authorization",
  });
  const forged = `${token.slice(0, -4)}AAAA`;
  expectAnswer(server, await ask(server, path, { token: forged }), 401, {
    error: "Invalid or expired token",
    code: "invalid_token",
  });
}
