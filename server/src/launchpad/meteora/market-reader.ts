import { type Connection, PublicKey } from "@solana/web3.js";
import {
  baseFeeAfter,
  FEE_DENOMINATOR,
  feeSteps,
  volatilityFee,
} from "@tokenctl/shared/programs/curve-terms";
import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { type Mint, readMint } from "@tokenctl/shared/programs/token";
import { BoundedMap } from "../../base/cache.ts";
import { type Fraction, type Market, type OwnedToken, valued } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import type { PoolReading, UnreadableFees } from "../pool-program.ts";
import { curveFees, poolAfter } from "./liquidity-reader.ts";
import { type Curve, type CurveReader, type LiquidityPool, tryRead } from "./programs.ts";

/** A mint, and whether it was read after the migration, which may burn tokens. */
interface KnownMint {
  readonly mint: Mint;
  readonly isMigrated: boolean;
}

/** About 20 MB. */
const REMEMBERED = 50_000;

/**
 * Reads the pools of tokens, 100 with a request: the curves, then the later pools of those that have
 * migrated. Reads a mint with its pool the first time, and again after the migration.
 */
export class MarketReader {
  /** By the curve's address. */
  readonly #mints = new BoundedMap<string, KnownMint>(REMEMBERED);

  constructor(
    private readonly connection: Connection,
    private readonly curves: CurveReader,
  ) {}

  async read(tokens: readonly OwnedToken[]): Promise<(PoolReading | UnreadableFees)[]> {
    const unread = tokens.filter(({ poolAddress }) => !this.#mints.get(poolAddress));
    const { curves, accounts } = await this.curves.read(tokens, unread.map(mintOf));
    const moved = new Map<OwnedToken, PublicKey>();
    for (const [index, token] of tokens.entries()) {
      const curve = curves[index];
      if (!curve || curve instanceof Error) continue;
      const isMigrated = curve.pool.isMigrated !== 0;
      const mint = readMint(accounts[unread.indexOf(token)]);
      if (mint) this.#mints.set(token.poolAddress, { mint, isMigrated });
      if (isMigrated) moved.set(token, poolAfter(curve));
    }
    const pools = await this.#readMoved(moved);
    return tokens.map((token, index) => {
      const curve = curves[index] as (typeof curves)[number];
      if (curve instanceof Error) return { unreadable: curve.message };
      const { creator, creatorQuoteFee, quoteReserve, ...pool } = curve.pool;
      const isMigrated = pool.isMigrated !== 0;
      const sqrtPrice = isMigrated ? pools.get(token)?.sqrtPrice : pool.sqrtPrice;
      const known = this.#mints.get(token.poolAddress);
      const market =
        known?.isMigrated === isMigrated && sqrtPrice !== undefined
          ? { ...priced(sqrtPrice, known.mint), raised: isMigrated ? null : quoteReserve }
          : null;
      return {
        isMigrated,
        creator,
        claimable: !isMigrated && creator === token.wallet ? creatorQuoteFee : 0n,
        market: market && { ...market, ...lasting(curve) },
      };
    });
  }

  /** Reads the pools, and the mints that were read before the migration. */
  async #readMoved(moved: ReadonlyMap<OwnedToken, PublicKey>) {
    const stale = [...moved.keys()].filter((one) => !this.#mints.get(one.poolAddress)?.isMigrated);
    const accounts = await readAccounts(this.connection, [...moved.values(), ...stale.map(mintOf)]);
    for (const [index, { poolAddress }] of stale.entries()) {
      const mint = readMint(accounts[moved.size + index]);
      if (mint) this.#mints.set(poolAddress, { mint, isMigrated: true });
    }
    const pools = new Map<OwnedToken, LiquidityPool>();
    for (const [index, [token, address]] of [...moved].entries()) {
      const pool = tryRead(accounts[index], [dammV2, "Pool"], address);
      if (!(pool instanceof Error)) pools.set(token, pool);
    }
    return pools;
  }
}

const mintOf = ({ tokenMint }: OwnedToken) => new PublicKey(tokenMint);

/** Returns what no longer changes once the curve is complete. */
function lasting(curve: Curve): Pick<Market, "goal" | "earned" | "fees" | "feeRateAt"> {
  const earned = curveFees(curve, curve.pool.creator).total;
  const { totalTradingQuoteFee, totalProtocolQuoteFee } = curve.pool.metrics;
  const fees = totalTradingQuoteFee + totalProtocolQuoteFee;
  const feeRateAt = (time: number) => feeRate(curve, time);
  return { goal: curve.config.migrationQuoteThreshold, earned, fees, feeRateAt };
}

/** Returns the fee at a time. The part for volatility is that of the last trade. */
function feeRate({ config, pool }: Curve, time: number): Fraction | null {
  // The slot of a reading is not known here.
  if (feeSteps(config)?.unit === "slots") return null;
  const seconds = BigInt(Math.floor(time / 1000)) - pool.activationPoint;
  const base = baseFeeAfter(config, seconds < 0n ? 0n : seconds);
  if (base === null) return null;
  const { volatilityAccumulator } = pool.volatilityTracker;
  const dividend = base + volatilityFee(config.poolFees.dynamicFee, volatilityAccumulator);
  return { dividend, divisor: FEE_DENOMINATOR };
}

/** @param sqrtPrice the root of the lamports that one base unit costs, × 2⁶⁴ */
export function priced(
  sqrtPrice: bigint,
  { supply, decimals }: Pick<Mint, "supply" | "decimals">,
): Pick<Market, "price" | "marketCap"> {
  return valued({ dividend: sqrtPrice * sqrtPrice, divisor: 1n << 128n }, supply, decimals);
}
