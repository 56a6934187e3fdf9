import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { insertLaunch } from "../testing/launches.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { tempStore } from "../testing/temp-store.ts";
import { inspectDatabase } from "./inspect-database.ts";
import { migrations } from "./migrate.ts";

const BINDING = { chain: "solana", launchWallet: "wallet", genesisHash: null } as const;

test("a database is bound to a chain once, and every connection reads the same binding", () => {
  using temp = tempStore();
  const { chainBinding } = temp.store;
  expect(chainBinding.read()).toBeNull();
  chainBinding.bind(BINDING);
  expect(chainBinding.read()).toEqual(BINDING);
  expect(() => chainBinding.bind({ ...BINDING, launchWallet: "another" })).toThrow("UNIQUE");
  expect(inspectDatabase(temp.path)).toEqual({ binding: BINDING, hasLaunches: false });
});

test("a genesis hash is bound once, and the wallet may change", () => {
  using temp = tempStore();
  const { chainBinding } = temp.store;
  chainBinding.bind(BINDING);
  expect(chainBinding.bindGenesis("first")).toBe("first");
  expect(chainBinding.bindGenesis("second")).toBe("first");
  chainBinding.changeWallet("another");
  expect(chainBinding.read()).toEqual({
    chain: "solana",
    launchWallet: "another",
    genesisHash: "first",
  });
});

test("a database has launches as soon as one is pending", () => {
  using temp = tempStore();
  expect(temp.store.chainBinding.hasLaunches()).toBe(false);
  insertLaunch(temp, "WAIT");
  expect(temp.store.chainBinding.hasLaunches()).toBe(true);
  expect(inspectDatabase(temp.path)).toEqual({ binding: null, hasLaunches: true });
});

test("a database of an older version can be inspected", () => {
  using directory = tempDir();
  const path = join(directory.path, "tokend.sqlite");
  const client = new Database(path);
  expect(inspectDatabase(path)).toEqual({ binding: null, hasLaunches: false });
  for (const statement of migrations[0]?.split("--> statement-breakpoint") ?? []) {
    client.run(statement);
  }
  client.run(
    `insert into launches (event_id, wallet, name, ticker, created_at, run_at)
     values ('a', 'b', 'c', 'D', 0, 0)`,
  );
  expect(inspectDatabase(path)).toEqual({ binding: null, hasLaunches: true });
  client.close();
});
