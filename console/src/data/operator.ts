import { ApiError } from "@tokenctl/sdk";
import type { OperatorReport, Pausable } from "@tokenctl/shared/operator-report";
import { ask } from "./read.ts";
import { Shared } from "./shared.ts";

/** The tab's key for the view's token, which stays until it expires or the view is closed. */
const KEPT = "tokend.operator";

/** The view's token; null while it is closed. */
export const operatorToken = new Shared<string | null>(sessionStorage.getItem(KEPT));

function keep(token: string | null): void {
  if (token === null) sessionStorage.removeItem(KEPT);
  else sessionStorage.setItem(KEPT, token);
  operatorToken.set(token);
}

export const closeView = () => keep(null);

/**
 * Opens the view with the secret from a link of `tokend admin console-link`.
 *
 * @throws {Error} if the link was opened before or has expired
 */
export async function openView(secret: string): Promise<void> {
  const { token } = await asked<{ token: string }>("session", { body: { secret } });
  keep(token);
}

export const readReport = (token: string, signal: AbortSignal) =>
  asked<OperatorReport>("status", { token, signal });

export const pause = (token: string, what: Pausable, reason: string) =>
  asked(`pause/${what}`, { token, body: { reason } });

export const resume = (token: string, what: Pausable) =>
  asked(`resume/${what}`, { token, body: {} });

async function asked<Answer>(path: string, of: Parameters<typeof ask>[1]): Promise<Answer> {
  try {
    return await ask<Answer>(`operator/${path}`, of);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && of?.token !== undefined) closeView();
    throw error;
  }
}
