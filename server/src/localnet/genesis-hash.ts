import { Database } from "bun:sqlite";
import { base58 } from "./base58.ts";

/** The genesis hash of a chain with this seed. */
export function genesisHashOf(seed: Uint8Array): string {
  return base58.encode(new Bun.CryptoHasher("sha256").update(seed).digest());
}

/**
 * Reads a ledger's genesis hash without changing the ledger. A server may be running on it.
 *
 * @throws {Error} if the file is no ledger
 */
export function readGenesisHash(ledgerPath: string): string {
  const client = new Database(ledgerPath, { readonly: true });
  try {
    const row = client
      .query<{ value: Uint8Array }, []>("SELECT value FROM meta WHERE key = 'genesis_seed'")
      .get();
    if (row === null) throw new Error(`${ledgerPath} holds no chain`);
    return genesisHashOf(row.value);
  } finally {
    client.close();
  }
}
