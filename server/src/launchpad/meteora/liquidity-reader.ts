import { type Connection, PublicKey } from "@solana/web3.js";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { DAMM_V2_CONFIGS, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { readTokenAccount } from "@tokenctl/shared/programs/token";
import { BoundedMap } from "../../base/bounded-map.ts";
import { readAccountsAt } from "../../solana/connection.ts";
import { TokenUnreadableError } from "../errors.ts";
import { type CreatorChange, type FeeTotals, NO_FEES } from "../pool-program.ts";
import {
  type AccountFault,
  builder,
  type Curve,
  creatorHasPosition,
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

interface PositionRef {
  readonly address: PublicKey;
  /** The agent's token account with the position's NFT. */
  readonly nftAccount: PublicKey;
  readonly nftMint: string;
}

export type HeldPosition = Position & PositionRef;

/** About 30 MB of addresses; each takes a tenth of a millisecond to derive. */
const REMEMBERED = 50_000;

/**
 * Reads what a wallet holds in the DAMM v2 pools that curves have become, with one call for its
 * position NFTs, then one for each 100 positions and pools.
 */
export class HoldingReader {
  readonly #pools = new BoundedMap<string, PublicKey>(REMEMBERED);
  /** Positions and their pools, by NFT mint. A position's pool never changes. */
  readonly #known = new BoundedMap<string, { address: PublicKey; pool?: string }>(REMEMBERED);

  constructor(private readonly connection: Connection) {}

  /**
   * @param mustHold whether the wallet should have a position in a curve's pool. If it seems to
   * have none, its NFTs are read again at the pool's slot: a node that is behind does not show them
   * @returns each curve, once migrated with its pool and the wallet's positions; or the error
   */
  async read(
    wallet: PublicKey,
    curves: readonly (Curve | AccountFault)[],
    mustHold: (curve: Curve) => boolean = () => false,
  ): Promise<(HeldToken | AccountFault)[]> {
    const holdings = await this.#read(wallet, curves, mustHold);
    return curves.map((curve) => {
      if (curve instanceof Error) return curve;
      const holding = holdings.get(curve) ?? null;
      return holding instanceof Error ? holding : { curve, holding };
    });
  }

  async #read(
    wallet: PublicKey,
    curves: readonly (Curve | AccountFault)[],
    mustHold: (curve: Curve) => boolean,
  ): Promise<ReadonlyMap<Curve, LiquidityHolding | AccountFault>> {
    const holdings = new Map<Curve, LiquidityHolding | AccountFault>();
    const pools = new Map<Curve, PublicKey>();
    for (const curve of curves) {
      if (curve instanceof Error || curve.pool.isMigrated === 0) continue;
      const address = this.#poolOf(curve);
      if (address instanceof Error) holdings.set(curve, address);
      else pools.set(curve, address);
    }
    if (pools.size === 0) return holdings;
    const { slot, held } = await this.#hold(wallet, pools);
    const lacksPosition = [...held].some(
      ([curve, holding]) =>
        !(holding instanceof Error) && holding.positions.length === 0 && mustHold(curve),
    );
    const all = lacksPosition ? (await this.#hold(wallet, pools, slot)).held : held;
    return new Map([...holdings, ...all]);
  }

  #poolOf({ address, config, pool }: Curve): PublicKey | TokenUnreadableError {
    try {
      return this.#pools.getOrMake(address.toBase58(), () =>
        liquidityPoolAddress(config.migrationFeeOption, pool.baseMint),
      );
    } catch (error) {
      return new TokenUnreadableError(`The pool ${address} did not migrate to DAMM v2`, error);
    }
  }

  async #hold(
    wallet: PublicKey,
    pools: ReadonlyMap<Curve, PublicKey>,
    minContextSlot?: number,
  ): Promise<{ slot: number; held: Map<Curve, LiquidityHolding | AccountFault> }> {
    const holdings = new Map<Curve, LiquidityHolding | AccountFault>();
    const positions = new Map<string, HeldPosition[]>();
    for (const address of pools.values()) positions.set(address.toBase58(), []);
    let { refs, unclear } = await this.#candidates(wallet, positions, minContextSlot);
    const faults = new Map<string, PublicKey>();
    const { slot, accounts } = await readAccountsAt(this.connection, [
      ...refs.map((ref) => ref.address),
      ...pools.values(),
    ]);
    refs.forEach((ref, index) => {
      const account = accounts[index];
      // Anyone can send SOL to the address that an NFT's position would have.
      if (account?.owner.toBase58() !== dammV2.id) return;
      const names = { address: ref.address, name: "position" };
      const position = tryRead(account, [dammV2, "Position"], names);
      if (position instanceof Error) {
        const pool = this.#known.get(ref.nftMint)?.pool;
        if (pool === undefined) unclear = ref.address;
        else faults.set(pool, ref.address);
        return;
      }
      const { pool } = position;
      this.#known.set(ref.nftMint, { address: ref.address, pool });
      positions.get(pool)?.push({ ...position, ...ref });
    });
    for (const [index, [curve, address]] of [...pools].entries()) {
      const names = { address, name: "liquidity pool" };
      const pool = tryRead(accounts[refs.length + index], [dammV2, "Pool"], names);
      const held = positions.get(address.toBase58()) ?? [];
      // A position that was never read may be in any pool that lacks one.
      const fault = faults.get(address.toBase58()) ?? (held.length === 0 ? unclear : null);
      if (pool instanceof Error) holdings.set(curve, pool);
      else if (fault === null) holdings.set(curve, { address, pool, positions: held });
      else {
        const text = `The account ${fault}, which may be a position in the pool ${address}, cannot be read`;
        holdings.set(curve, new TokenUnreadableError(text));
      }
    }
    return { slot, held: holdings };
  }

  /**
   * Returns the wallet's NFTs that may be positions in the pools, and one unreadable account if
   * any.
   */
  async #candidates(
    wallet: PublicKey,
    pools: ReadonlyMap<string, unknown>,
    minContextSlot?: number,
  ) {
    const owned = await this.connection.getTokenAccountsByOwner(
      wallet,
      { programId: new PublicKey(TOKEN_2022) },
      minContextSlot === undefined ? {} : { minContextSlot },
    );
    const refs: PositionRef[] = [];
    let unclear: PublicKey | null = null;
    for (const { pubkey, account } of owned.value) {
      const nft = account.owner.toBase58() === TOKEN_2022 ? readTokenAccount(account) : null;
      if (nft === null) {
        unclear = pubkey;
        continue;
      }
      if (nft.amount !== 1n) continue;
      const known = this.#known.getOrMake(nft.mint, () => ({
        address: new PublicKey(builder.derived(dammV2.id, "position", nft.mint)),
      }));
      if (known.pool !== undefined && !pools.has(known.pool)) continue;
      refs.push({ address: known.address, nftAccount: pubkey, nftMint: nft.mint });
    }
    return { refs, unclear };
  }
}

/** @param migrationFeeOption DBC's: 0 to 5 are fixed, 6 is the config's own @throws {RangeError} */
export function liquidityPoolAddress(
  migrationFeeOption: number,
  mint: PublicKey | string,
): PublicKey {
  const dammConfig = DAMM_V2_CONFIGS[migrationFeeOption];
  if (dammConfig === undefined) {
    throw new RangeError(`no DAMM v2 config for migration fee option ${migrationFeeOption}`);
  }
  const mints = [String(mint), WRAPPED_SOL_MINT] as const;
  return new PublicKey(builder.poolAddress(dammV2.id, dammConfig, mints));
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
export function creatorChange(
  { pool, config }: Curve,
  holding: LiquidityHolding | null,
  agent: string,
): CreatorChange | null {
  const { creator } = pool;
  const lacksPosition = holding?.positions.length === 0 && creatorHasPosition(config);
  if (creator === agent && !lacksPosition) return null;
  return {
    ...(creator !== agent && { bondingCurve: creator }),
    ...(lacksPosition && { liquidityPool: null }),
  };
}

/** Whether the agent can no longer earn fees from a token. */
export function isLost({ pool }: Curve, change: CreatorChange | null): change is CreatorChange {
  if (change === null) return false;
  return (pool.isMigrated ? change.liquidityPool : change.bondingCurve) !== undefined;
}
