import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { insertLaunch } from "../../testing/launches.ts";
import { tempDir } from "../../testing/temp-dir.ts";
import { tempStore } from "../../testing/temp-store.ts";
import { inspectDatabase } from "./inspect-database.ts";
import { migrations } from "./migrate.ts";

const BINDING = {
  chain: "solana",
  launchWallet: "wallet",
  genesisHash: null,
  mintSecretFingerprint: null,
  dbcConfig: "config",
} as const;

test("a database is bound to a chain once, and every connection reads the same binding", async () => {
  using temp = tempStore();
  const { chainBinding } = temp.store;
  expect(await chainBinding.read()).toBeNull();
  expect(await chainBinding.bind(BINDING)).toEqual(BINDING);
  expect(await chainBinding.read()).toEqual(BINDING);
  expect(await chainBinding.bind({ ...BINDING, launchWallet: "another" })).toEqual(BINDING);
  expect(inspectDatabase(temp.path)).toEqual({
    binding: BINDING,
    isService: true,
    hasLaunches: false,
  });
});

test("a genesis hash is bound once, and the rest may change", async () => {
  using temp = tempStore();
  const { chainBinding } = temp.store;
  await chainBinding.bind(BINDING);
  expect(await chainBinding.bindGenesis("first")).toBe("first");
  expect(await chainBinding.bindGenesis("second")).toBe("first");
  await chainBinding.change({ launchWallet: "another" });
  await chainBinding.change({ mintSecretFingerprint: "fingerprint" });
  expect(await chainBinding.read()).toEqual({
    chain: "solana",
    launchWallet: "another",
    genesisHash: "first",
    mintSecretFingerprint: "fingerprint",
    dbcConfig: "config",
  });
});

test("a database has launches as soon as one is pending", async () => {
  using temp = tempStore();
  expect(await temp.store.chainBinding.hasLaunches()).toBe(false);
  await insertLaunch(temp, "WAIT");
  expect(await temp.store.chainBinding.hasLaunches()).toBe(true);
  expect(inspectDatabase(temp.path)).toEqual({ binding: null, isService: true, hasLaunches: true });
});

test("a database of an older version can be inspected", () => {
  using directory = tempDir();
  const path = join(directory.path, "tokend.sqlite");
  const client = new Database(path);
  expect(inspectDatabase(path)).toMatchObject({ isService: false, binding: null });
  for (const statement of migrations[0]?.split("--> statement-breakpoint") ?? []) {
    client.run(statement);
  }
  client.run(
    `insert into launches (event_id, wallet, name, ticker, created_at, run_at)
     values ('a', 'b', 'c', 'D', 0, 0)`,
  );
  expect(inspectDatabase(path)).toEqual({ binding: null, isService: true, hasLaunches: true });
  client.close();
});
