import { ConnectionError } from "@tokenctl/sdk";
import type { OperatorReport, Pausable } from "@tokenctl/shared/operator-report";
import { Shared } from "./shared.ts";

/** Where the tab keeps the view's token, until it expires or the view is closed. */
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
 * Opens the view by the secret of a link of `tokend admin console-link`.
 *
 * @throws {Error} the link was opened before, or has expired
 */
export async function openView(secret: string): Promise<void> {
  const { token } = await ask<{ token: string }>("session", { body: { secret } });
  keep(token);
}

export const readReport = (token: string, signal: AbortSignal) =>
  ask<OperatorReport>("status", { token, signal });

export const pause = (token: string, what: Pausable, reason: string) =>
  ask(`pause/${what}`, { token, body: { reason } });

export const resume = (token: string, what: Pausable) => ask(`resume/${what}`, { token, body: {} });

async function ask<Answer>(
  path: string,
  { token, body, signal }: { token?: string; body?: object; signal?: AbortSignal },
): Promise<Answer> {
  const response = await fetch(`/operator/${path}`, {
    ...(signal && { signal }),
    ...(body && { method: "POST", body: JSON.stringify(body) }),
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
    },
  }).catch((cause) => {
    throw new ConnectionError(location.origin, cause);
  });
  const answer = (await response.json()) as Answer & { error?: string; message?: string };
  if (response.ok) return answer;
  if (response.status === 401 && token !== undefined) closeView();
  throw new Error(answer.message ?? answer.error ?? `The server answered ${response.status}`);
}
