import { paidOnWire } from "@tokenctl/shared/shares";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type {
  ClaimHistory,
  ClaimList,
  ClaimRecord,
  PaidClaim,
  UnreadableClaim,
} from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import type { FeeKind } from "../../domain/signing.ts";
import { encodeCursor, type PageRequest } from "../../http/parameters.ts";
import { throwAsServiceError } from "../../launchpad/errors.ts";
import type {
  CreatorChange,
  FeeTotals,
  TokenFees,
  UnreadableFees,
} from "../../launchpad/pool-program.ts";
import type { HistoryPart, PaidTokenRow, TokenSum } from "../../store/claim-history.ts";
import type { Store } from "../../store/store.ts";
import type { ListedToken } from "../../store/tokens.ts";
import type { ClaimDeps } from "./service.ts";

/**
 * Lamports by which a curve's claimed fees may seem to exceed what claims paid: the program rounds
 * down at every trade, and each trade costs its trader 5,000 times what rounding can hide.
 */
const ROUNDING_LAMPORTS = 100_000n;

const NOTHING: TokenSum = { bondingCurve: 0n, liquidityPool: 0n, isWhole: true };

/** A request for fees; `received` includes tokens that the agent received and accepted. */
interface ListRequest extends PageRequest {
  readonly received?: boolean;
}

export async function listClaims(
  { store, chain }: Pick<ClaimDeps, "store" | "chain">,
  wallet: string,
  { limit, before, received }: ListRequest,
): Promise<ClaimList> {
  const which = received ? "all" : "launched";
  const { rows, next } = await store.tokens.page(wallet, { limit, before }, which);
  const fees = await chain.readFees(wallet, rows).catch(throwAsServiceError);
  const claims: ClaimRecord[] = [];
  const unreadable: UnreadableClaim[] = [];
  // The chain is read first. A claim that lands in between is then open or paid in the store, so it
  // does not look like a claim that was made elsewhere.
  const paid = await store.prepared.paidByToken(wallet);
  for (const [index, row] of rows.entries()) {
    const read = fees[index] as TokenFees | UnreadableFees;
    if ("unreadable" in read) {
      unreadable.push({ tokenMint: row.tokenMint, ticker: row.ticker, error: read.unreadable });
    } else claims.push(claimRecord(row, read, paid.get(row.tokenMint)));
  }
  return {
    claims,
    ...(unreadable.length > 0 && { unreadable }),
    ...(next !== null && { nextCursor: encodeCursor(next) }),
  };
}

function claimRecord(
  token: Pick<ListedToken, "tokenMint" | "poolAddress" | "ticker" | "heldBy">,
  fees: TokenFees,
  paid: TokenSum = NOTHING,
): ClaimRecord {
  const { creatorChanged, isMigrated } = fees;
  // The pool counts the claims of all its creators together.
  const isShared = token.heldBy !== null;
  const ofAgent = (kind: FeeKind) =>
    isShared || creatorChanged?.[kind] !== undefined
      ? own(creatorChanged?.[kind] === undefined ? fees[kind].claimable : 0n, paid[kind])
      : fees[kind];
  const bondingCurve = ofAgent("bondingCurve");
  const liquidityPool = ofAgent("liquidityPool");
  const elsewhere =
    bondingCurve.claimed - paid.bondingCurve + (liquidityPool.claimed - paid.liquidityPool);
  return {
    tokenMint: token.tokenMint,
    poolAddress: token.poolAddress,
    ticker: token.ticker,
    claimableSOL: lamportsToSol(bondingCurve.claimable + liquidityPool.claimable),
    dbcClaimableFees: lamportsToSol(bondingCurve.claimable),
    dbcTotalFees: lamportsToSol(bondingCurve.total),
    dbcClaimedFees: lamportsToSol(bondingCurve.claimed),
    lpClaimableFees: lamportsToSol(liquidityPool.claimable),
    lpTotalFees: lamportsToSol(liquidityPool.total),
    lpClaimedFees: lamportsToSol(liquidityPool.claimed),
    isMigrated,
    ...(paid.isWhole &&
      elsewhere > ROUNDING_LAMPORTS && { claimedElsewhere: lamportsToSol(elsewhere) }),
    ...(creatorChanged && { creatorChanged: changeOnWire(creatorChanged) }),
  };
}

/** Returns what the agent can claim and has claimed of fees that belonged to several wallets. */
function own(claimable: bigint, claimed: bigint): FeeTotals {
  return { claimable, claimed, total: claimable + claimed };
}

function changeOnWire({ bondingCurve, liquidityPool }: CreatorChange) {
  return {
    ...(bondingCurve !== undefined && { dbcHolder: bondingCurve }),
    ...(liquidityPool !== undefined && { lpHolder: liquidityPool }),
  };
}

export async function claimHistory(
  { tokens, prepared, handOvers }: Store,
  wallet: string,
  part: HistoryPart,
): Promise<ClaimHistory> {
  const { tokenMint } = part;
  const isKnown =
    tokenMint === null ||
    (await tokens.find(wallet, tokenMint)) !== null ||
    (await handOvers.hadTokens(wallet, [{ tokenMint }])).has(tokenMint);
  if (!isKnown) throw new ServiceError("token_not_found");
  const { rows, next } = await prepared.history(wallet, part);
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
    ...(row.receivers.length > 0 && { receivers: row.receivers.map(paidOnWire) }),
    claimedAt: new Date(row.confirmedAt).toISOString(),
  };
}
