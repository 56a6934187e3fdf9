import { Database } from "bun:sqlite";

/**
 * The server as it is but for one pragma: commits are not synced. What tells the one from the other
 * is held to telling them apart.
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
