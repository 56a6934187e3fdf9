import type { Database } from "bun:sqlite";
import init from "./migrations/0000_init.sql" with { type: "text" };
import chainBinding from "./migrations/0001_chain_binding.sql" with { type: "text" };
import bounds from "./migrations/0002_bounds.sql" with { type: "text" };
import undecided from "./migrations/0003_undecided.sql" with { type: "text" };
import sharedStore from "./migrations/0004_shared_store.sql" with { type: "text" };
import claimKinds from "./migrations/0005_claim_kinds.sql" with { type: "text" };
import content from "./migrations/0006_content.sql" with { type: "text" };
import events from "./migrations/0007_events.sql" with { type: "text" };
import waits from "./migrations/0008_waits.sql" with { type: "text" };
import claimHistory from "./migrations/0009_claim_history.sql" with { type: "text" };
import earnings from "./migrations/0010_earnings.sql" with { type: "text" };
import poolWatch from "./migrations/0011_pool_watch.sql" with { type: "text" };
import webhooks from "./migrations/0012_webhooks.sql" with { type: "text" };
import operator from "./migrations/0013_operator.sql" with { type: "text" };
import onChainName from "./migrations/0014_on_chain_name.sql" with { type: "text" };
import shares from "./migrations/0015_shares.sql" with { type: "text" };
import webhookShares from "./migrations/0016_webhook_shares.sql" with { type: "text" };
import imageShares from "./migrations/0017_image_shares.sql" with { type: "text" };
import waitLimit from "./migrations/0018_wait_limit.sql" with { type: "text" };

/** All migrations in order; drizzle-kit writes them, and the index here is the version. */
export const migrations: readonly string[] = [
  init,
  chainBinding,
  bounds,
  undecided,
  sharedStore,
  claimKinds,
  content,
  events,
  waits,
  claimHistory,
  earnings,
  poolWatch,
  webhooks,
  operator,
  onChainName,
  shares,
  webhookShares,
  imageShares,
  waitLimit,
];

/**
 * Refuses a file of another program, which this one would fill with tables of its own.
 *
 * @throws {Error} if it has tables, and none of launches
 */
export function refuseForeign(client: Database): void {
  const tables = client
    .query<[string], []>("select name from sqlite_schema where type = 'table'")
    .values()
    .flat();
  if (tables.length === 0 || tables.includes("launches")) return;
  throw new Error("The database is another program's: it has no table of launches.");
}

/**
 * Brings a database to the newest version, each migration in a transaction of its own.
 * drizzle's migrator cannot do it: it reads a folder, which a compiled binary does not have.
 *
 * @throws {Error} if a newer version of the program wrote the database
 */
export function migrate(client: Database): void {
  const { user_version: version } = client.query("pragma user_version").get() as {
    user_version: number;
  };
  if (version > migrations.length) {
    throw new Error(
      `The database has version ${version}; this program knows ${migrations.length}. ` +
        "Start the newer program that wrote it, or restore a backup made before the upgrade.",
    );
  }
  migrations.slice(version).forEach((migration, index) => {
    client
      .transaction(() => {
        for (const statement of migration.split("--> statement-breakpoint")) client.run(statement);
        client.run(`pragma user_version = ${version + index + 1}`);
      })
      .immediate();
  });
}
