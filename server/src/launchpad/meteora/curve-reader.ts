import { getTokenProgram } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { type AccountInfo, type Connection, PublicKey } from "@solana/web3.js";
import { BoundedMap } from "../../base/bounded-map.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";
import {
  type CurveConfig,
  type CurvePool,
  decodeCurvePool,
  decodePoolConfig,
  toBigInt,
} from "./accounts.ts";
import type { MeteoraPrograms } from "./programs.ts";

/** A bonding curve pool with its config. */
export interface Curve {
  readonly address: PublicKey;
  readonly pool: CurvePool;
  readonly config: CurveConfig;
}

/** Why a curve cannot be read: its account is missing, or is something else. */
export type CurveFault = ChainUnavailableError | TokenUnreadableError;

/** More than any operator has. */
const REMEMBERED_CONFIGS = 1_000;

/** Reads bonding curve pools: one call for each 100 pools, and one for each 100 new configs. */
export class CurveReader {
  readonly #connection: Connection;
  readonly #programs: MeteoraPrograms;
  /** By address. The program has no instruction that changes or closes a config. */
  readonly #configs = new BoundedMap<string, CurveConfig>(REMEMBERED_CONFIGS);

  constructor(connection: Connection, programs: MeteoraPrograms) {
    this.#connection = connection;
    this.#programs = programs;
  }

  /** @returns the pools in the order of the tokens; for a pool that cannot be read, the error */
  async read(tokens: readonly TokenRef[]): Promise<(Curve | CurveFault)[]> {
    return (await this.readBeside(tokens, [])).found;
  }

  /** Reads pools without their configs: one call for each 100. @returns them as {@link read} does */
  async readPools(tokens: readonly TokenRef[]): Promise<(CurvePool | CurveFault)[]> {
    const addresses = tokens.map((token) => new PublicKey(token.poolAddress));
    const accounts = await readAccounts(this.#connection, addresses);
    return addresses.map((address, index) => this.#decode(address, accounts[index] ?? null));
  }

  /**
   * Reads pools, and other accounts in the same calls.
   *
   * @returns the pools as {@link read} does; the other accounts in the order of the addresses
   */
  async readBeside(
    tokens: readonly TokenRef[],
    others: readonly PublicKey[],
  ): Promise<{ found: (Curve | CurveFault)[]; accounts: (AccountInfo<Buffer> | null)[] }> {
    const addresses = tokens.map((token) => new PublicKey(token.poolAddress));
    const accounts = await readAccounts(this.#connection, [...addresses, ...others]);
    const pools = accounts.splice(0, addresses.length);
    return { found: await this.#withConfigs(addresses, pools), accounts };
  }

  /** @returns a config, which is read only once; if it cannot be read, the error */
  async readConfig(address: PublicKey): Promise<CurveConfig | CurveFault> {
    const configs = await this.#readConfigs([address]);
    return configs.get(address.toBase58()) as CurveConfig | CurveFault;
  }

  async #withConfigs(
    addresses: readonly PublicKey[],
    accounts: readonly (AccountInfo<Buffer> | null)[],
  ): Promise<(Curve | CurveFault)[]> {
    const pools = addresses.map((address, index) => this.#decode(address, accounts[index] ?? null));
    const configs = await this.#readConfigs(
      pools.flatMap((pool) => (pool instanceof Error ? [] : pool.config)),
    );
    return pools.map((pool, index) => {
      if (pool instanceof Error) return pool;
      const config = configs.get(pool.config.toBase58()) as CurveConfig | CurveFault;
      return config instanceof Error
        ? config
        : { address: addresses[index] as PublicKey, pool, config };
    });
  }

  #decode(address: PublicKey, account: AccountInfo<Buffer> | null): CurvePool | CurveFault {
    if (!account) return new ChainUnavailableError(`The pool ${address} was not found`);
    try {
      return decodeCurvePool(this.#programs, account);
    } catch (error) {
      return new TokenUnreadableError(`The account ${address} is no bonding curve pool`, error);
    }
  }

  async #readConfigs(
    configs: readonly PublicKey[],
  ): Promise<Map<string, CurveConfig | CurveFault>> {
    const found = new Map<string, CurveConfig | CurveFault>();
    const missing = new Map<string, PublicKey>();
    for (const config of configs) {
      const key = config.toBase58();
      const known = this.#configs.get(key);
      if (known) found.set(key, known);
      else missing.set(key, config);
    }
    const keys = [...missing.values()];
    const accounts = await readAccounts(this.#connection, keys);
    keys.forEach((address, index) => {
      const config = this.#decodeConfig(address, accounts[index] ?? null);
      found.set(address.toBase58(), config);
      if (!(config instanceof Error)) this.#configs.set(address.toBase58(), config);
    });
    return found;
  }

  #decodeConfig(address: PublicKey, account: AccountInfo<Buffer> | null): CurveConfig | CurveFault {
    if (!account) return new ChainUnavailableError(`The config ${address} was not found`);
    try {
      const config = decodePoolConfig(this.#programs, account);
      return {
        creatorFeePercentage: config.creatorTradingFeePercentage,
        creatorHasPosition:
          config.creatorPermanentLockedLiquidityPercentage + config.creatorLiquidityPercentage > 0,
        migrationFeeOption: config.migrationFeeOption,
        tokenProgram: getTokenProgram(config.tokenType),
        partner: config.feeClaimer,
        migrationThreshold: toBigInt(config.migrationQuoteThreshold),
        migrationFeePercentage: config.migrationFeePercentage,
        creatorMigrationFeePercentage: config.creatorMigrationFeePercentage,
      };
    } catch (error) {
      return new TokenUnreadableError(`The account ${address} is no bonding curve config`, error);
    }
  }
}
