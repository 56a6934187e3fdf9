import { lamportsToSol } from "@tokenctl/shared/sol";
import type { ClaimRecord } from "@tokenctl/shared/types";
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

/**
 * The fees of a token as the wire shows them.
 *
 * @param paid what the service's claims have paid of it
 */
export function claimRecord(
  token: ListedToken,
  fees: TokenFees,
  paid: TokenSum = NOTHING,
): ClaimRecord {
  const { creatorChanged, isMigrated } = fees;
  const bondingCurve = stillTheirs(
    fees.bondingCurve,
    creatorChanged?.bondingCurve,
    paid.bondingCurve,
  );
  const liquidityPool = stillTheirs(
    fees.liquidityPool,
    creatorChanged?.liquidityPool,
    paid.liquidityPool,
  );
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

/** Fees that belong to another wallet now: of those, the agent's are what its claims have paid. */
function stillTheirs(fees: FeeTotals, holder: string | null | undefined, paid: bigint): FeeTotals {
  return holder === undefined ? fees : { claimable: 0n, claimed: paid, total: paid };
}

function changeOnWire({ bondingCurve, liquidityPool }: CreatorChange) {
  return {
    ...(bondingCurve !== undefined && { dbcHolder: bondingCurve }),
    ...(liquidityPool !== undefined && { lpHolder: liquidityPool }),
  };
}
