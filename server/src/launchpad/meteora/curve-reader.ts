import { type AccountInfo, type Connection, PublicKey } from "@solana/web3.js";
import { BoundedMap } from "../../base/bounded-map.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import {
  type AccountFault,
  type CurveConfig,
  type CurvePool,
  decodeCurveConfig,
  decodeCurvePool,
  type Found,
  tryDecode,
} from "./accounts.ts";
import type { MeteoraPrograms } from "./programs.ts";

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

  constructor(
    private readonly connection: Connection,
    private readonly programs: MeteoraPrograms,
  ) {}

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
    const pools = addresses.map((address, index) => this.#decode(address, accounts[index]));
    const configs = await this.#readConfigs(
      pools.flatMap((pool) => (pool instanceof Error ? [] : pool.config)),
    );
    return pools.map((pool, index) => {
      if (pool instanceof Error) return pool;
      const config = configs.get(pool.config.toBase58()) as CurveConfig | AccountFault;
      return config instanceof Error
        ? config
        : { address: addresses[index] as PublicKey, pool, config };
    });
  }

  #decode(address: PublicKey, account: Found | null | undefined): CurvePool | AccountFault {
    const names = { address, name: "pool", kind: "bonding curve pool" };
    return tryDecode(account, (it) => decodeCurvePool(this.programs, it), names);
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
      const names = { address, name: "config", kind: "bonding curve config" };
      const decode = (account: Found) => decodeCurveConfig(this.programs, account);
      const config = tryDecode(accounts[index], decode, names);
      found.set(address.toBase58(), config);
      if (!(config instanceof Error)) this.#configs.set(address.toBase58(), config);
    });
    return found;
  }
}
