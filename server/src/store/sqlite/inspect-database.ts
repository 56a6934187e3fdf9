import { Database } from "bun:sqlite";
import type { ChainBinding } from "../chain-binding.ts";

/** What a database of any version says about the chain that it belongs to. */
export interface DatabaseContents {
  /** Whether it has the tables of a service. */
  readonly isService: boolean;
  /** Null before the first start. */
  readonly binding: ChainBinding | null;
}

/**
 * Reads a database without changing it; a server may be running on it. Not through drizzle, whose
 * tables are those of the newest version.
 *
 * @throws {Error} if it cannot be read
 */
export function inspectDatabase(path: string): DatabaseContents {
  const client = new Database(path, { readonly: true });
  try {
    const hasTable = (name: string) =>
      client.query("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !==
      null;
    const binding = hasTable("chain_binding")
      ? client
          .query<ChainBinding, []>(
            `select chain, launch_wallet as launchWallet, genesis_hash as genesisHash,
               mint_secret_fingerprint as mintSecretFingerprint, dbc_config as dbcConfig
             from chain_binding`,
          )
          .get()
      : null;
    return { isService: hasTable("launches"), binding };
  } finally {
    client.close();
  }
}
