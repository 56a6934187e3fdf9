import { type AccountInfo, type Connection, PublicKey } from "@solana/web3.js";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { BoundedMap } from "../../base/bounded-map.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { type AccountFault, type CurveConfig, type CurvePool, tryRead } from "./programs.ts";

export interface Curve {
  readonly address: PublicKey;
  readonly pool: CurvePool;
  readonly config: CurveConfig;
}

/** More than any operator has. */
const REMEMBERED_CONFIGS = 1_000;

/** Reads bonding curve pools: one call for each 100 pools, and one for each 100 new configs. */
export class CurveReader {
  /** By address. The program has no instruction that changes or closes a config. */
  readonly #configs = new BoundedMap<string, CurveConfig>(REMEMBERED_CONFIGS);

  constructor(private readonly connection: Connection) {}

  async read(tokens: readonly TokenRef[]): Promise<(Curve | AccountFault)[]> {
    return (await this.readBeside(tokens, [])).found;
  }

  async readBeside(
    tokens: readonly TokenRef[],
    others: readonly PublicKey[],
  ): Promise<{ found: (Curve | AccountFault)[]; accounts: (AccountInfo<Buffer> | null)[] }> {
    const addresses = tokens.map((token) => new PublicKey(token.poolAddress));
    const accounts = await readAccounts(this.connection, [...addresses, ...others]);
    const pools = accounts.splice(0, addresses.length);
    return { found: await this.#withConfigs(addresses, pools), accounts };
  }

  async readConfig(address: PublicKey): Promise<CurveConfig | AccountFault> {
    const configs = await this.#readConfigs([address]);
    return configs.get(address.toBase58()) as CurveConfig | AccountFault;
  }

  async #withConfigs(
    addresses: readonly PublicKey[],
    accounts: readonly (AccountInfo<Buffer> | null)[],
  ): Promise<(Curve | AccountFault)[]> {
    const pools = addresses.map((address, index) => {
      const names = { address, name: "pool", text: "bonding curve pool" };
      return tryRead(accounts[index], [dbc, "VirtualPool"], names);
    });
    const configs = await this.#readConfigs(
      pools.flatMap((pool) => (pool instanceof Error ? [] : new PublicKey(pool.config))),
    );
    return pools.map((pool, index) => {
      if (pool instanceof Error) return pool;
      const config = configs.get(pool.config) as CurveConfig | AccountFault;
      return config instanceof Error
        ? config
        : { address: addresses[index] as PublicKey, pool, config };
    });
  }

  async #readConfigs(
    configs: readonly PublicKey[],
  ): Promise<Map<string, CurveConfig | AccountFault>> {
    const found = new Map<string, CurveConfig | AccountFault>();
    const missing = new Map<string, PublicKey>();
    for (const config of configs) {
      const key = config.toBase58();
      const known = this.#configs.get(key);
      if (known) found.set(key, known);
      else missing.set(key, config);
    }
    const keys = [...missing.values()];
    const accounts = await readAccounts(this.connection, keys);
    keys.forEach((address, index) => {
      const names = { address, name: "config", text: "bonding curve config" };
      const config = tryRead(accounts[index], [dbc, "PoolConfig"], names);
      found.set(address.toBase58(), config);
      if (!(config instanceof Error)) this.#configs.set(address.toBase58(), config);
    });
    return found;
  }
}
