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
import { type Curve, type CurveReader, type Found, tryRead } from "./programs.ts";

/** A migrated pool, with the part of its market that no longer changes. */
interface Migrated {
  readonly address: PublicKey;
  readonly mint: Mint;
  readonly curve: Lasting;
}

type Lasting = Pick<Market, "goal" | "earned" | "fees" | "feeRateAt">;

/** About 20 MB. */
const REMEMBERED = 50_000;

/**
 * Reads the pool that each token trades in, 100 tokens with a request. Reads a mint with its pool
 * the first time, and again after the migration, which may burn tokens.
 */
export class MarketReader {
  readonly #mints = new BoundedMap<string, Mint>(REMEMBERED);
  readonly #migrated = new BoundedMap<string, Migrated>(REMEMBERED);

  constructor(
    private readonly connection: Connection,
    private readonly curves: CurveReader,
  ) {}

  async read(tokens: readonly OwnedToken[]): Promise<(PoolReading | UnreadableFees)[]> {
    const readings = new Map<OwnedToken, PoolReading | UnreadableFees>();
    const known = tokens.filter(({ poolAddress }) => this.#migrated.get(poolAddress));
    const others = tokens.filter((token) => !known.includes(token));
    const isNew = ({ poolAddress }: OwnedToken) => !this.#mints.get(poolAddress);
    const unread = others.filter(isNew);
    const { curves, accounts } = await this.curves.read(others, [
      ...known.map(({ poolAddress }) => (this.#migrated.get(poolAddress) as Migrated).address),
      ...unread.map(({ tokenMint }) => new PublicKey(tokenMint)),
    ]);
    for (const [index, token] of known.entries()) {
      readings.set(token, this.#afterCurve(token, accounts[index]));
    }
    for (const [index, { poolAddress }] of unread.entries()) {
      const mint = readMint(accounts[known.length + index]);
      if (mint) this.#mints.set(poolAddress, mint);
    }
    const moved = new Map<OwnedToken, Curve>();
    for (const [index, token] of others.entries()) {
      const curve = curves[index] as (typeof curves)[number];
      if (curve instanceof Error) readings.set(token, { unreadable: curve.message });
      else if (curve.pool.isMigrated) moved.set(token, curve);
      else readings.set(token, this.#onCurve(token, curve));
    }
    if (moved.size > 0) await this.#readMoved(moved, readings);
    return tokens.map((token) => readings.get(token) as PoolReading | UnreadableFees);
  }

  #onCurve({ poolAddress, wallet }: OwnedToken, curve: Curve): PoolReading {
    const { pool } = curve;
    const mint = this.#mints.get(poolAddress);
    const { creator } = pool;
    return {
      isMigrated: false,
      creator,
      claimable: creator === wallet ? pool.creatorQuoteFee : 0n,
      market: mint
        ? { ...priced(pool.sqrtPrice, mint), raised: pool.quoteReserve, ...lasting(curve) }
        : null,
    };
  }

  #afterCurve({ poolAddress }: OwnedToken, account: Found | null | undefined): PoolReading {
    const { address, mint, curve } = this.#migrated.get(poolAddress) as Migrated;
    const pool = tryRead(account, [dammV2, "Pool"], address);
    const market =
      pool instanceof Error ? null : { ...priced(pool.sqrtPrice, mint), raised: null, ...curve };
    return { isMigrated: true, creator: null, claimable: 0n, market };
  }

  async #readMoved(
    moved: ReadonlyMap<OwnedToken, Curve>,
    readings: Map<OwnedToken, PoolReading | UnreadableFees>,
  ): Promise<void> {
    const found: { token: OwnedToken; curve: Curve; address: PublicKey }[] = [];
    for (const [token, curve] of moved) {
      readings.set(token, { isMigrated: true, creator: null, claimable: 0n, market: null });
      const address = poolAfter(curve);
      if (address instanceof PublicKey) found.push({ token, curve, address });
    }
    const accounts = await readAccounts(
      this.connection,
      found.flatMap(({ token, address }) => [address, new PublicKey(token.tokenMint)]),
    );
    for (const [index, { token, curve, address }] of found.entries()) {
      const [pool, mint] = [accounts[2 * index], readMint(accounts[2 * index + 1])];
      if (!mint) continue;
      this.#migrated.set(token.poolAddress, { address, mint, curve: lasting(curve) });
      readings.set(token, this.#afterCurve(token, pool));
    }
  }
}

/** Returns what no longer changes once the curve is complete. */
function lasting(curve: Curve): Lasting {
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
