import { lamportsToSol } from "@tokenctl/shared/sol";
import type { ClaimRecord } from "@tokenctl/shared/types";
import type { FeeKind } from "../../domain/claim.ts";
import type { CreatorChange, FeeTotals, TokenFees } from "../../launchpad/launchpad.ts";
import type { TokenSum } from "../../store/claim-history.ts";
import type { ListedToken } from "../../store/tokens.ts";

/**
 * Lamports by which what was claimed of a curve may seem more than what claims paid: the program rounds
 * down at every trade, and each trade costs its trader 5,000 times what that can hide.
 */
const ROUNDING_LAMPORTS = 100_000n;

const NOTHING: TokenSum = { bondingCurve: 0n, liquidityPool: 0n, isWhole: true };

/** Whether a record of these fees needs what the service's claims have paid of the token. */
export function needsPaid({ bondingCurve, liquidityPool, creatorChanged }: TokenFees): boolean {
  return (
    creatorChanged !== undefined || bondingCurve.claimed + liquidityPool.claimed > ROUNDING_LAMPORTS
  );
}

/** @param paid what the service's claims have paid of the token */
export function claimRecord(
  token: Pick<ListedToken, "tokenMint" | "poolAddress" | "ticker" | "heldSince">,
  fees: TokenFees,
  paid: TokenSum = NOTHING,
): ClaimRecord {
  const { creatorChanged, isMigrated } = fees;
  // The pool counts what all its creators have claimed.
  const isShared = token.heldSince !== null;
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

/** The agent's part of fees that have belonged to several wallets: what it can claim, and its claims have paid. */
function own(claimable: bigint, claimed: bigint): FeeTotals {
  return { claimable, claimed, total: claimable + claimed };
}

function changeOnWire({ bondingCurve, liquidityPool }: CreatorChange) {
  return {
    ...(bondingCurve !== undefined && { dbcHolder: bondingCurve }),
    ...(liquidityPool !== undefined && { lpHolder: liquidityPool }),
  };
}
