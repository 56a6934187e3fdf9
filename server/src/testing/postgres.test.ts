import { expect, test } from "bun:test";
import { describePostgres } from "./describe-postgres.ts";
import { sharedPostgres, startPostgres } from "./postgres.ts";

describePostgres("PostgreSQL of the tests", () => {
  const psql = async (url: string, sql: string) =>
    (await (await sharedPostgres()).run("psql", "-AtXc", sql, url)).trim();

  test("each database is empty, and a copy holds what its template holds", async () => {
    const postgres = await sharedPostgres();
    const first = await postgres.createDatabase();
    await psql(first, "create table notes as select 'kept' as note");
    const second = await postgres.createDatabase();
    const copy = await postgres.createDatabase(first);
    const tables = "select count(*) from pg_tables where schemaname = 'public'";
    expect([await psql(first, tables), await psql(second, tables)]).toEqual(["1", "0"]);
    expect(await psql(copy, "select note from notes")).toBe("kept");
  });

  test("it keeps what was committed when it stops without a shutdown", async () => {
    await using postgres = await startPostgres();
    const url = await postgres.createDatabase();
    await psql(url, "create table notes as select 'kept' as note");
    await postgres.stop("immediate");
    expect(postgres.pid).toBeNull();
    await postgres.start();
    expect(postgres.log()).toContain("was not properly shut down");
    expect(await psql(url, "select note from notes")).toBe("kept");
  });
});
