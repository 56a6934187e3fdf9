import { ConnectionError } from "@tokenctl/sdk";
import { Shared } from "./shared.ts";

export type Pausable = "launches" | "claims" | "sign-ins";

/** The launches of an hour, by their status. */
export interface Hour {
  readonly at: number;
  readonly success: number;
  readonly failed: number;
  readonly rate_limited: number;
  readonly pending: number;
}

/** What the server shows the operator. Amounts are SOL, times milliseconds since the Unix epoch. */
export interface OperatorReport {
  readonly mayControl: boolean;
  readonly expiresAt: number;
  readonly now: number;
  readonly version: string;
  readonly health: { readonly ok: boolean; readonly message: string | null };
  readonly database: string;
  readonly chain: {
    readonly name: string;
    readonly ok: boolean;
    readonly config: string | null;
    readonly msPerBlock: number | null;
    readonly lamportsPerByte: number | null;
  };
  readonly wallet: {
    readonly balanceSOL: number | null;
    readonly spentTodaySOL: number;
    readonly committedSOL: number | null;
    readonly maxDailySpendSOL: number | null;
  };
  readonly queue: {
    readonly depth: number;
    readonly oldestCreatedAt: number | null;
    readonly limit: number | null;
  };
  readonly admission: { readonly mode: string };
  readonly pauses: Partial<Record<Pausable, string>>;
  readonly nodes: readonly {
    readonly name: string;
    readonly problem: string | null;
    readonly lag: number | null;
  }[];
  readonly hours: readonly Hour[];
  readonly money: {
    readonly collectedSOL: number;
    /** Null if the chain does not say. */
    readonly toCollectSOL: number | null;
    readonly launchesSOL: number;
    readonly migrationsSOL: number;
    readonly collectingSOL: number;
  };
  readonly servers: readonly {
    readonly id: string;
    readonly host: string;
    readonly pid: number;
    readonly version: string;
    readonly startedAt: number;
    readonly isUpToDate: boolean;
  }[];
}

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
