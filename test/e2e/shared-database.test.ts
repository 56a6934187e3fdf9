import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { describePostgres } from "../../server/src/testing/describe-postgres.ts";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../server/src/testing/postgres.ts";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { NO_RATE_LIMITS, run, tempDir } from "../support/processes.ts";
import { startHere, startLogged } from "../support/test-server.ts";

setDefaultTimeout(300_000);

type Env = Readonly<Record<string, string>>;

const SECRETS = { MINT_SECRET: "ab".repeat(32), JWT_SECRET: "j".repeat(32) };

/** The settings of servers that share an empty database, and a folder that does not exist. */
async function setUp() {
  const folder = tempDir();
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  const dataDir = join(folder.path, "none");
  const { env } = clusterSettings(folder.path);
  const place = { PORT: "0", DATA_DIR: dataDir, DATABASE_URL: url };
  return {
    folder: folder.path,
    postgres,
    url,
    dataDir,
    env: { ...env, ...SECRETS, ...NO_RATE_LIMITS, ...place },
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

  test("say in /health which of their settings differ", async () => {
    using scene = await setUp();
    await using _ = await startHere(scene.env);
    await using other = await startHere({ ...scene.env, JWT_SECRET: "k".repeat(32) });
    for (let said = ""; !said.includes("has a different JWT_SECRET: "); await Bun.sleep(20)) {
      said = await (await fetch(`${other.url}/health`)).text();
    }
  });

  test("log neither its URL, host and password nor their secrets when it disappears, and answer none of them", async () => {
    using scene = await setUp();
    await using server = await startLogged(scene.folder, scene.env);
    const agent = await Agent.signedIn(server);
    expect((await agent.launch({ ticker: "FIRST" })).status).toBe(200);

    await scene.postgres.dropDatabase(scene.url);
    const refused = await agent.launch({ ticker: "SECOND" });
    expect([500, 503]).toContain(refused.status);
    const health = await fetch(`${server.url}/health`);
    expect(health.status).toBe(503);
    const answers = JSON.stringify(refused.body) + (await health.text());
    while (!/"level":"(?:warn|error)".*(?:database|Launch|launch)/.test(server.output())) {
      await Bun.sleep(10);
    }

    const { host, password } = new URL(scene.url);
    const told = server.output() + answers;
    for (const secret of [scene.url, host, password, ...Object.values(SECRETS)]) {
      expect(told).not.toContain(secret);
    }
  });

  test("are restored from a dump by PostgreSQL's own programs", async () => {
    using scene = await setUp();
    const { folder, postgres, url } = scene;
    const at = (databaseUrl: string) => ({ ...scene.env, DATABASE_URL: databaseUrl });
    const env = { PATH: `${POSTGRES_PROGRAMS}:${process.env.PATH}` };
    const asIt = async (...command: string[]) =>
      expect(await run(command, folder, env)).toMatchObject({ exitCode: 0, stderr: "" });

    const server = await startHere(at(url));
    const agent = await Agent.signedIn(server);
    const other = await Agent.signedIn(server);
    const eventId = await agent.accepted("KEPT");
    const sql = (text: string) => postgres.run("psql", "-c", text, url);
    // A role that may read, and that the new machine does not have.
    await sql("create role reader");
    await sql("grant select on launches to reader");
    await asIt("pg_dump", "--format=custom", "--file=tokend.dump", url);
    await sql("drop owned by reader; drop role reader");
    await other.launch({ ticker: "LATER" });
    await server.stop();

    const restored = await postgres.createDatabase();
    const options = ["--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"];
    await asIt("pg_restore", ...options, `--dbname=${restored}`, "tokend.dump");
    await using again = await startHere(at(restored));
    agent.server = again;
    other.server = again;
    // Its bearer token too is still good.
    expect(await agent.status(eventId)).toMatchObject({ status: "pending", ticker: "KEPT" });
    // What came after the dump is not there.
    expect((await other.launch({ ticker: "LATER" })).status).toBe(200);
    expect((await other.launch({ ticker: "KEPT" })).status).toBe(409);
  });
});
