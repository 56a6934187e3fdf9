import type { Connection, PublicKey } from "@solana/web3.js";
import { BoundedMap } from "../../base/bounded-map.ts";
import { TokenUnreadableError } from "../errors.ts";
import { liquidityPoolAddress } from "./addresses.ts";
import type { Curve, CurveFault } from "./curve-reader.ts";
import { type LiquidityFault, type LiquidityHolding, LiquidityReader } from "./liquidity-reader.ts";
import type { MeteoraPrograms } from "./programs.ts";

/** About 10 MB of addresses; each takes a tenth of a millisecond to derive. */
const REMEMBERED_POOLS = 50_000;

/** Reads what a wallet holds in the pools that curves have become. */
export class HoldingReader {
  readonly #liquidity: LiquidityReader;
  readonly #pools = new BoundedMap<string, PublicKey>(REMEMBERED_POOLS);

  constructor(connection: Connection, programs: MeteoraPrograms) {
    this.#liquidity = new LiquidityReader(connection, programs);
  }

  /** For each migrated curve: its DAMM v2 pool and the wallet's positions, or why they cannot be read. */
  async read(
    wallet: PublicKey,
    curves: readonly (Curve | CurveFault)[],
  ): Promise<ReadonlyMap<Curve, LiquidityHolding | LiquidityFault>> {
    const holdings = new Map<Curve, LiquidityHolding | LiquidityFault>();
    const migrated: Curve[] = [];
    const addresses: PublicKey[] = [];
    for (const curve of curves) {
      if (curve instanceof Error || !curve.pool.isMigrated) continue;
      const address = this.#poolOf(curve);
      if (address instanceof Error) holdings.set(curve, address);
      else {
        migrated.push(curve);
        addresses.push(address);
      }
    }
    if (migrated.length === 0) return holdings;
    const found = await this.#liquidity.read(wallet, addresses);
    migrated.forEach((curve, index) => {
      const holding = found[index];
      if (holding) holdings.set(curve, holding);
    });
    return holdings;
  }

  #poolOf(curve: Curve): PublicKey | TokenUnreadableError {
    try {
      return this.#pools.getOrMake(curve.address.toBase58(), () =>
        liquidityPoolAddress(curve.config.migrationFeeOption, curve.pool.mint),
      );
    } catch (error) {
      return new TokenUnreadableError(
        `The pool ${curve.address} did not migrate to DAMM v2`,
        error,
      );
    }
  }
}
