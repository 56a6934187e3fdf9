import { Database } from "bun:sqlite";

/**
 * The server with one pragma changed, so that commits are not synced: the test that reads the trace
 * must detect it.
 */
const { run } = Database.prototype;
Database.prototype.run = function (this: Database, sql: string, ...bindings: []) {
  return run.call(
    this,
    sql.replace(/synchronous\s*=\s*full/i, "synchronous = normal"),
    ...bindings,
  );
};

await import("../../../server/src/main.ts");
