import { lamportsToSol } from "@tokenctl/shared/sol";
import type { ClaimHistory, PaidClaim } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { encodeCursor, type PageRequest } from "../../http/paging.ts";
import { validationError } from "../../http/validation.ts";
import type { PaidTokenRow } from "../../store/claim-store.ts";
import type { Store } from "../../store/store.ts";

/** Which entries of a history are asked for: `from` or later and before `to`, in milliseconds. */
export interface HistoryRequest extends PageRequest {
  readonly tokenMint: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

/** A date of ISO-8601, or a time of it in UTC. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/;

/**
 * Lists what the claims of an agent have paid, newest first: an entry for each token of a claim.
 *
 * @throws {ServiceError} 404 if the wallet has no such token
 */
export async function claimHistory(
  { tokens, claims }: Pick<Store, "tokens" | "claims">,
  wallet: string,
  part: HistoryRequest,
): Promise<ClaimHistory> {
  const { tokenMint } = part;
  if (tokenMint !== null && !(await tokens.find(wallet, tokenMint))) {
    throw new ServiceError("token_not_found");
  }
  const { rows, next } = await claims.history(wallet, part);
  return {
    claims: rows.map(toPaidClaim),
    ...(next !== null && { nextCursor: encodeCursor(next) }),
  };
}

/**
 * Reads a bound of time from the query.
 *
 * @returns milliseconds since the Unix epoch; null if it is not given
 * @throws {ServiceError} 400 if it is not a date or a time in UTC
 */
export function parseTime(field: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  // JavaScript takes 30 February for 2 March.
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10)))
    return time;
  throw validationError([
    { field, message: "must be a date or a UTC time, as 2026-01-31 or 2026-01-31T09:30:00Z" },
  ]);
}

function toPaidClaim(row: PaidTokenRow): PaidClaim {
  const lamports = row.curveLamports + row.poolLamports;
  return {
    tokenMint: row.tokenMint,
    ticker: row.ticker,
    claimedSOL: lamportsToSol(lamports),
    claimedLamports: lamports.toString(),
    dbcClaimedLamports: row.curveLamports.toString(),
    lpClaimedLamports: row.poolLamports.toString(),
    transactionHash: row.signature,
    claimedAt: new Date(row.confirmedAt).toISOString(),
  };
}
