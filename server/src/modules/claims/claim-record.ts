import { PublicKey } from "@solana/web3.js";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type {
  ClaimHistory,
  ClaimRecord,
  FieldError,
  PaidClaim,
  PaidReceiver as PaidOnWire,
} from "@tokenctl/shared/types";
import { decodeAddress } from "../../base/base58.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { FeeKind, PaidReceiver, Receiver } from "../../domain/signing.ts";
import { validationError } from "../../http/body.ts";
import { encodeCursor, type PageRequest } from "../../http/parameters.ts";
import type { CreatorChange, FeeTotals, TokenFees } from "../../launchpad/pool-program.ts";
import type { PaidTokenRow, TokenSum } from "../../store/claim-history.ts";
import type { Store } from "../../store/store.ts";
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

export function claimRecord(
  token: Pick<ListedToken, "tokenMint" | "poolAddress" | "ticker" | "heldBy">,
  fees: TokenFees,
  paid: TokenSum = NOTHING,
): ClaimRecord {
  const { creatorChanged, isMigrated } = fees;
  // The pool counts what all its creators have claimed.
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

/** Who gets the fees of a claim; by default the wallet. */
export interface Payees {
  readonly receivers?: readonly Receiver[];
  /** Whether addresses are allowed that no keypair can sign for. */
  readonly force?: boolean;
}

/** Only the chain knows whether an address is a wallet's. @throws {ServiceError} 400 */
export function requireReceivers({ receivers = [], force = false }: Payees): void {
  const details = receivers.flatMap(({ address }, index): FieldError[] => {
    const field = `receivers/${index}/address`;
    const bytes = decodeAddress(address);
    if (!bytes) return [{ field, message: "must be the address of a wallet" }];
    if (!force && !PublicKey.isOnCurve(bytes)) {
      const message =
        "must be the address of a wallet; `force` allows one that no keypair can sign for, such as a multisig's vault";
      return [{ field, message }];
    }
    const isFirst = receivers.findIndex((other) => other.address === address) === index;
    return isFirst ? [] : [{ field, message: "is named twice" }];
  });
  if (receivers.length > 0 && receivers.reduce((sum, { share }) => sum + share, 0) !== 100) {
    details.push({ field: "receivers", message: "must have shares that add up to 100" });
  }
  if (details.length > 0) throw validationError(details);
}

export function paidOnWire(receivers: readonly PaidReceiver[]): { receivers?: PaidOnWire[] } {
  if (receivers.length === 0) return {};
  return {
    receivers: receivers.map(({ address, lamports }) => ({
      address,
      paidSOL: lamportsToSol(BigInt(lamports)),
      paidLamports: lamports,
    })),
  };
}

/** Which entries of a history are asked for: `from` or later and before `to`, in milliseconds. */
export interface HistoryRequest extends PageRequest {
  readonly tokenMint: string | null;
  readonly from: number | null;
  readonly to: number | null;
}

/** What an agent's claims have paid, newest first, by token. @throws {ServiceError} 404 */
export async function claimHistory(
  { tokens, prepared, handOvers }: Pick<Store, "tokens" | "prepared" | "handOvers">,
  wallet: string,
  part: HistoryRequest,
): Promise<ClaimHistory> {
  const { tokenMint } = part;
  const isKnown =
    tokenMint === null ||
    (await tokens.find(wallet, tokenMint)) !== null ||
    (await handOvers.hadToken(wallet, tokenMint));
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
    ...paidOnWire(row.receivers),
    claimedAt: new Date(row.confirmedAt).toISOString(),
  };
}
