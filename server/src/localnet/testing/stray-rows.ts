import { Database } from "bun:sqlite";

/** Counts addresses without a transaction and transactions without addresses. */
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
