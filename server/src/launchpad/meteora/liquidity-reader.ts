import { type Connection, PublicKey } from "@solana/web3.js";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { DAMM_V2_CONFIGS, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { readTokenAccount } from "@tokenctl/shared/programs/token";
import { BoundedMap } from "../../base/cache.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { TokenUnreadableError } from "../errors.ts";
import { type CreatorChange, type FeeTotals, NO_FEES } from "../pool-program.ts";
import {
  type AccountFault,
  builder,
  type Curve,
  type CurveReader,
  creatorLiquidity,
  type LiquidityPool,
  type Position,
  tryRead,
} from "./programs.ts";

export interface LiquidityHolding {
  readonly address: PublicKey;
  readonly pool: LiquidityPool;
  readonly positions: readonly HeldPosition[];
}

/** A token's curve, and the pool that it became; null before migration. */
export interface HeldToken {
  readonly curve: Curve;
  readonly holding: LiquidityHolding | null;
}

export interface HeldPosition extends Position {
  readonly address: PublicKey;
  /** The wallet's token account with the position's NFT. */
  readonly nftAccount: PublicKey;
}

/** About 15 MB; an address takes a fifth of a millisecond to derive. */
const REMEMBERED = 50_000;

/** By mint. */
const poolsAfter = new BoundedMap<string, PublicKey>(REMEMBERED);

/**
 * Reads tokens' curves, and what a wallet holds in the DAMM v2 pools that they have become: with one
 * call for its position NFTs, then one for each 100 positions and pools.
 */
export class HoldingReader {
  /** Positions' addresses and pools, by NFT mint. A position's pool never changes. */
  readonly #known = new BoundedMap<string, { address: PublicKey; pool?: string }>(REMEMBERED);

  constructor(
    private readonly connection: Connection,
    private readonly curves: CurveReader,
  ) {}

  /**
   * @returns each curve, once migrated with its pool and the wallet's positions, or the error; and
   * the other accounts
   */
  async read(wallet: PublicKey, tokens: readonly TokenRef[], others: readonly PublicKey[] = []) {
    const { curves, accounts } = await this.curves.read(tokens, others);
    const pools = curves.map((curve) => {
      return curve instanceof Error || curve.pool.isMigrated === 0 ? null : poolAfter(curve);
    });
    const migrated = pools.filter((pool) => pool !== null);
    const holdings = await this.#holdings(wallet, migrated);
    const held = curves.map((curve, index): HeldToken | AccountFault => {
      if (curve instanceof Error) return curve;
      const holding = holdings.get(String(pools[index])) ?? null;
      return holding instanceof Error ? holding : { curve, holding };
    });
    return { held, accounts };
  }

  async #holdings(wallet: PublicKey, pools: readonly PublicKey[]) {
    const holdings = new Map<string, LiquidityHolding | AccountFault>();
    if (pools.length === 0) return holdings;
    const positions = new Map<string, HeldPosition[]>(pools.map((pool) => [pool.toBase58(), []]));
    const owned = await this.connection.getTokenAccountsByOwner(wallet, {
      programId: new PublicKey(TOKEN_2022),
    });
    const candidates = owned.value.flatMap(({ pubkey: nftAccount, account }) => {
      const nft = readTokenAccount(account);
      if (nft?.amount !== 1n) return [];
      const known = this.#known.getOrMake(nft.mint, () => ({
        address: new PublicKey(builder.derived(dammV2.id, "position", nft.mint)),
      }));
      return known.pool === undefined || positions.has(known.pool) ? { known, nftAccount } : [];
    });
    const accounts = await readAccounts(this.connection, [
      ...candidates.map(({ known }) => known.address),
      ...pools,
    ]);
    let unclear: PublicKey | null = null;
    for (const [index, { known, nftAccount }] of candidates.entries()) {
      const account = accounts[index];
      const { address } = known;
      // Anyone can send SOL to the address that an NFT's position would have.
      if (account?.owner.toBase58() !== dammV2.id) continue;
      const position = tryRead(account, [dammV2, "Position"], address);
      if (position instanceof Error) unclear = address;
      else {
        known.pool = position.pool;
        positions.get(position.pool)?.push({ ...position, address, nftAccount });
      }
    }
    for (const [index, address] of pools.entries()) {
      const pool = tryRead(accounts[candidates.length + index], [dammV2, "Pool"], address);
      const held = positions.get(address.toBase58()) ?? [];
      // A position that cannot be read may be in any pool that lacks one.
      const fault =
        held.length === 0 && unclear !== null
          ? `The account ${unclear}, which may be a position in the pool ${address}, cannot be read`
          : null;
      const holding = fault === null ? pool : new TokenUnreadableError(fault);
      holdings.set(
        address.toBase58(),
        holding instanceof Error ? holding : { address, pool: holding, positions: held },
      );
    }
    return holdings;
  }
}

export function poolAfter({ config: { migrationFeeOption }, pool }: Curve): PublicKey {
  const make = () => liquidityPoolAddress(migrationFeeOption, pool.baseMint);
  return poolsAfter.getOrMake(pool.baseMint, make);
}

/** @param migrationFeeOption DBC's: 0 to 5 are fixed, 6 is the config's own */
export function liquidityPoolAddress(
  migrationFeeOption: number,
  mint: PublicKey | string,
): PublicKey {
  const mints = [String(mint), WRAPPED_SOL_MINT] as const;
  const config = DAMM_V2_CONFIGS[migrationFeeOption] as string;
  return new PublicKey(builder.poolAddress(dammV2.id, config, mints));
}

/**
 * Returns a wallet's fees of a bonding curve, like `getPoolFeeBreakdown` of the DBC SDK for the
 * creator. A wallet that is not the pool's creator has none.
 */
export function curveFees({ pool, config }: Curve, wallet: string): FeeTotals {
  if (pool.creator !== wallet) return NO_FEES;
  const total =
    (pool.metrics.totalTradingQuoteFee * BigInt(config.creatorTradingFeePercentage)) / 100n;
  // The program rounds down at every trade, this only once, so the difference is never negative.
  return { claimable: pool.creatorQuoteFee, claimed: total - pool.creatorQuoteFee, total };
}

export function liquidityOf(position: Position): bigint {
  const { unlockedLiquidity, vestedLiquidity, permanentLockedLiquidity } = position;
  return unlockedLiquidity + vestedLiquidity + permanentLockedLiquidity;
}

export function liquidityFees(pool: LiquidityPool, positions: readonly Position[]): FeeTotals {
  let claimable = 0n;
  let claimed = 0n;
  for (const position of positions) {
    claimable += claimablePositionFee(pool, position);
    claimed += position.metrics.totalClaimedBFee;
  }
  return { claimable, claimed, total: claimable + claimed };
}

/**
 * Returns the lamports that a position can claim: the pending ones, and its share of what the pool
 * has earned since the position's checkpoint. Source: `getUnClaimLpFee` of the DAMM v2 SDK.
 */
export function claimablePositionFee(pool: LiquidityPool, position: Position): bigint {
  const earned = pool.feeBPerLiquidity - position.feeBPerTokenCheckpoint;
  // The pool's state may be from a node that is behind.
  if (earned <= 0n) return position.feeBPending;
  return position.feeBPending + ((liquidityOf(position) * earned) >> 128n);
}

/**
 * Returns the fees of a token that no longer belong to the agent; null if all do. The curve's fees
 * belong to the pool's creator, which its account names. The later pool's fees belong to the holder
 * of the NFT of the creator's position; no account names that NFT.
 */
export function creatorChange({ curve, holding }: HeldToken, agent: string): CreatorChange | null {
  const { creator } = curve.pool;
  const isLacking = holding?.positions.length === 0 && creatorLiquidity(curve.config) > 0;
  if (creator === agent && !isLacking) return null;
  return {
    ...(creator !== agent && { bondingCurve: creator }),
    ...(isLacking && { liquidityPool: null }),
  };
}
