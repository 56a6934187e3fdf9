import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../server/src/testing/postgres.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const describePostgres = describe.skipIf(!POSTGRES_PROGRAMS);

type Env = Readonly<Record<string, string>>;

/** The settings of servers that share an empty database, and a folder that does not exist. */
async function setUp() {
  const folder = tempDir();
  const { env: cluster, wallet } = clusterSettings(folder.path);
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const dataDir = join(folder.path, "none");
  const shared = { ...cluster, PORT: "0", DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
  return {
    folder: folder.path,
    config: cluster.DBC_CONFIG,
    dataDir,
    wallet,
    without: shared,
    env: { ...shared, MINT_SECRET: "ab".repeat(32), JWT_SECRET: "j".repeat(32) },
    password: new URL(databaseUrl).password,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describePostgres("servers that share a database", () => {
  test("start with the same settings, and need no data directory", async () => {
    using scene = await setUp();
    const started = await Promise.all([1, 2, 3].map(() => startHere(scene.env)));
    for (const server of started) await server[Symbol.asyncDispose]();
    // It had the operator's sockets while they ran.
    expect(readdirSync(scene.dataDir)).toEqual([]);
  });

  test.each([
    [
      "mint secrets",
      (n: number): Env => ({ MINT_SECRET: `${n}${n}`.repeat(32) }),
      /^MINT_SECRET is not the mint secret of the launches/,
    ],
    [
      "configs",
      (): Env => ({ DBC_CONFIG: Keypair.generate().publicKey.toBase58() }),
      /^The database belongs to \w{32,44}, but DBC_CONFIG names /,
    ],
  ])(
    "that start at once on an empty database with different %s: one does, the others refuse",
    async (_, change, refusal) => {
      using scene = await setUp();
      const starts = await Promise.allSettled(
        [1, 2, 3, 4].map((n) => startHere({ ...scene.env, ...change(n) })),
      );
      const refusals: string[] = [];
      for (const result of starts) {
        if (result.status === "fulfilled") await result.value[Symbol.asyncDispose]();
        else refusals.push((result.reason as Error).message);
      }
      expect(refusals).toEqual(Array(3).fill(expect.stringMatching(refusal)));
    },
  );
});
