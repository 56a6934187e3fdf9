import { type Connection, PublicKey } from "@solana/web3.js";
import { BoundedMap } from "../../bounded-map.ts";
import { ChainUnavailableError } from "../errors.ts";
import type { TokenRef } from "../launchpad.ts";
import { type CurveConfig, type CurvePool, decodeCurvePool, decodePoolConfig } from "./accounts.ts";
import type { MeteoraPrograms } from "./programs.ts";
import { readAccounts } from "./read-accounts.ts";

/** A bonding curve pool with the config it was made under. */
export interface Curve {
  readonly address: PublicKey;
  readonly pool: CurvePool;
  readonly config: CurveConfig;
}

/** An operator has a handful. */
const REMEMBERED_CONFIGS = 1_000;

/** Reads bonding curve pools: one call for each 100, and one for the configs not seen before. */
export class CurveReader {
  readonly #connection: Connection;
  readonly #programs: MeteoraPrograms;
  /** By address. The program has no instruction that changes or closes a config. */
  readonly #configs = new BoundedMap<string, CurveConfig>(REMEMBERED_CONFIGS);

  constructor(connection: Connection, programs: MeteoraPrograms) {
    this.#connection = connection;
    this.#programs = programs;
  }

  /** @returns the pools in the order of the tokens */
  async read(tokens: readonly TokenRef[]): Promise<Curve[]> {
    const addresses = tokens.map((token) => new PublicKey(token.poolAddress));
    const accounts = await readAccounts(this.#connection, addresses);
    const pools = accounts.map((account, index) => {
      if (!account) {
        throw new ChainUnavailableError(`The pool ${addresses[index]} is not to be found`);
      }
      return decodeCurvePool(this.#programs, account.data);
    });
    const configs = await this.#readConfigs(pools);
    return pools.map((pool, index) => ({
      address: addresses[index] as PublicKey,
      pool,
      config: configs.get(pool.config.toBase58()) as CurveConfig,
    }));
  }

  async #readConfigs(pools: readonly CurvePool[]): Promise<Map<string, CurveConfig>> {
    const found = new Map<string, CurveConfig>();
    const missing = new Map<string, PublicKey>();
    for (const { config } of pools) {
      const key = config.toBase58();
      const known = this.#configs.get(key);
      if (known) found.set(key, known);
      else missing.set(key, config);
    }
    const keys = [...missing.values()];
    const accounts = await readAccounts(this.#connection, keys);
    keys.forEach((address, index) => {
      const account = accounts[index];
      if (!account) throw new ChainUnavailableError(`The config ${address} is not to be found`);
      const config = decodePoolConfig(this.#programs, account.data);
      const curveConfig = {
        creatorFeePercentage: config.creatorTradingFeePercentage,
        migrationFeeOption: config.migrationFeeOption,
      };
      found.set(address.toBase58(), curveConfig);
      this.#configs.set(address.toBase58(), curveConfig);
    });
    return found;
  }
}
