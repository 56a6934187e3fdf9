import { Database } from "bun:sqlite";
import type { ChainBinding } from "../chain-binding-store.ts";

/** The columns of the newest version; an older one lacks some. */
interface BindingRow {
  readonly chain: ChainBinding["chain"];
  readonly launch_wallet: string;
  readonly genesis_hash: string | null;
  readonly mint_secret_fingerprint?: string | null;
  readonly dbc_config?: string | null;
}

/** What a database of any version says about the chain that it belongs to. */
export interface DatabaseContents {
  /** Whether it has the tables of a service. */
  readonly isService: boolean;
  readonly hasLaunches: boolean;
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
    const row = hasTable("chain_binding")
      ? client.query<BindingRow, []>("select * from chain_binding").get()
      : null;
    const isService = hasTable("launches");
    const hasLaunches = isService && client.query("select 1 from launches limit 1").get() !== null;
    return { isService, hasLaunches, binding: row && toBinding(row) };
  } finally {
    client.close();
  }
}

function toBinding(row: BindingRow): ChainBinding {
  return {
    chain: row.chain,
    launchWallet: row.launch_wallet,
    genesisHash: row.genesis_hash,
    mintSecretFingerprint: row.mint_secret_fingerprint ?? null,
    dbcConfig: row.dbc_config ?? null,
  };
}
