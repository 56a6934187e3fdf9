import {
  ApiError,
  type CheckedProof,
  ConnectionError,
  type Health,
  type MarketHistory,
  type MarketList,
  type PublicToken,
} from "@tokenctl/sdk";
import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import type { TokenOrder, TokenPage } from "@tokenctl/shared/page-facts";
import { API_URL } from "./page.ts";

interface Signal {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks the service without the SDK's client, which visitors need not load.
 * @throws {ApiError} as the client does. @throws {ConnectionError}
 */
async function ask<Answer>(path: string, { signal }: Signal): Promise<Answer> {
  const answer = await fetch(`${API_URL}/${path}`, {
    ...(signal && { signal }),
    headers: { accept: "application/json" },
  }).catch((cause) => {
    throw signal?.aborted ? cause : new ConnectionError(API_URL, cause);
  });
  const { status } = answer;
  const said = await answer.json().catch(() => ({ error: `HTTP ${status}` }));
  // The health of an unhealthy service has an error status, but it is a valid answer.
  if (answer.ok || (path === "health" && "ok" in said)) return said as Answer;
  const code = said.code ?? "api_error";
  const retryAfter = answer.headers.get("retry-after");
  const retryAfterSeconds = retryAfter === null ? null : Number(retryAfter);
  const requestId = answer.headers.get("x-request-id");
  const hint = said.message ?? (isErrorCode(code) ? errorCodes[code].next : undefined);
  throw new ApiError(code, { status, body: said, requestId, retryAfterSeconds }, hint);
}

export const anyone = {
  health: (asked: Signal) => ask<Health>("health", asked),
  publicToken: (mint: string, asked: Signal = {}) =>
    ask<PublicToken>(`public/tokens/${mint}`, asked),
  market: (mint: string, { period, ...asked }: Signal & { readonly period: "day" | "month" }) =>
    ask<MarketHistory>(`public/tokens/${mint}/market?period=${period}`, asked),
  markets: (mints: readonly string[], asked: Signal) =>
    ask<MarketList>(`public/markets?mints=${mints.join()}`, asked),
  tokenProof: (mint: string, asked: Signal) =>
    ask<CheckedProof>(`public/tokens/${mint}/proof`, asked),
  list: (
    of: { readonly order: TokenOrder; readonly search: string; readonly page: number },
    asked: Signal,
  ) => ask<TokenPage>(`t/list?${new URLSearchParams({ ...of, page: String(of.page) })}`, asked),
};
