import { lamportsToSol } from "@tokenctl/shared/sol";
import type { ClaimHistory, PaidClaim } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { encodeCursor, type PageRequest } from "../../http/paging.ts";
import type { PaidTokenRow } from "../../store/claim-history.ts";
import type { Store } from "../../store/store.ts";
import { paidOnWire } from "./claim-record.ts";

/** Which entries of a history are asked for: `from` or later and before `to`, in milliseconds. */
export interface HistoryRequest extends PageRequest {
  readonly tokenMint: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

/** What an agent's claims have paid, newest first, by token. @throws {ServiceError} 404 */
export async function claimHistory(
  { tokens, claims, handOvers }: Pick<Store, "tokens" | "claims" | "handOvers">,
  wallet: string,
  part: HistoryRequest,
): Promise<ClaimHistory> {
  const { tokenMint } = part;
  const isKnown =
    tokenMint === null ||
    (await tokens.find(wallet, tokenMint)) !== null ||
    (await handOvers.hadToken(wallet, tokenMint));
  if (!isKnown) throw new ServiceError("token_not_found");
  const { rows, next } = await claims.history(wallet, part);
  return {
    claims: rows.map(toPaidClaim),
    ...(next !== null && { nextCursor: encodeCursor(next) }),
  };
}

function toPaidClaim(row: PaidTokenRow): PaidClaim {
  const lamports = row.bondingCurve + row.liquidityPool;
  return {
    tokenMint: row.tokenMint,
    ticker: row.ticker,
    claimedSOL: lamportsToSol(lamports),
    claimedLamports: lamports.toString(),
    dbcClaimedLamports: row.bondingCurve.toString(),
    lpClaimedLamports: row.liquidityPool.toString(),
    transactionHash: row.signature,
    ...paidOnWire(row.receivers),
    claimedAt: new Date(row.confirmedAt).toISOString(),
  };
}
