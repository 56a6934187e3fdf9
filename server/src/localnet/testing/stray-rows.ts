import { Database } from "bun:sqlite";

/** How many rows of a ledger belong to transactions that it does not keep, or the other way round. */
export function strayRows(ledgerPath: string): number {
  using db = new Database(ledgerPath, { readonly: true });
  const row = db
    .query<{ strays: number }, []>(
      `SELECT (SELECT count(*) FROM transaction_addresses
               WHERE seq NOT IN (SELECT seq FROM transactions))
            + (SELECT count(*) FROM transactions
               WHERE seq NOT IN (SELECT seq FROM transaction_addresses)) AS strays`,
    )
    .get();
  return row?.strays ?? -1;
}
