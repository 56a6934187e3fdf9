import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import pg from "pg";
import { systemClock } from "../../base/clock.ts";
import { createLog } from "../../base/log.ts";
import { readConfig } from "../../config/config.ts";
import { startServer } from "../../server.ts";
import { RpcTestNode } from "../../solana/testing/rpc-test-node.ts";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../testing/postgres.ts";
import { SOLANA_SETTINGS } from "../../testing/solana-settings.ts";
import { tempDir } from "../../testing/temp-dir.ts";
import { checkAll } from "../doctor.ts";

setDefaultTimeout(300_000);

type Env = Readonly<Record<string, string>>;

/** The settings of a server on an empty database; its cluster cannot be reached. */
async function setUp() {
  const dir = tempDir();
  const keypair = join(dir.path, "launch.json");
  const wallet = Keypair.generate();
  writeFileSync(keypair, JSON.stringify([...wallet.secretKey]), { mode: 0o600 });
  const url = await (await sharedPostgres()).createDatabase();
  const env: Env = {
    ...SOLANA_SETTINGS,
    PORT: "0",
    RPC_URL: "http://127.0.0.1:9",
    PUBLIC_URL: "https://tokens.invalid",
    LAUNCH_KEYPAIR: keypair,
    DATA_DIR: join(dir.path, "none"),
    DATABASE_URL: url,
    MINT_SECRET: "ab".repeat(32),
    JWT_SECRET: "j".repeat(32),
  };
  return {
    env,
    url,
    wallet: wallet.publicKey.toBase58(),
    async run(sql: string): Promise<void> {
      const client = new pg.Client(url);
      await client.connect();
      await client.query(sql);
      await client.end();
    },
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  };
}

/** Returns how many connections ordinary users get; PostgreSQL keeps three for superusers. */
async function placesFor(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query("show max_connections");
  await client.end();
  return Number(rows[0].max_connections) - 3;
}

/** Returns what the doctor finds about the database and the secrets. */
async function examine(env: Env): Promise<string[]> {
  const lines: string[] = [];
  for await (const { verdict, subject, text } of checkAll(readConfig(env), env)) {
    if (["database", "secrets"].includes(subject)) lines.push(`${verdict} ${subject}: ${text}`);
  }
  return lines;
}

async function startOnce(env: Env): Promise<void> {
  const deps = { clock: systemClock, log: createLog("silent") };
  const server = await startServer(readConfig(env), deps);
  await server.stop();
}

describe.skipIf(!POSTGRES_PROGRAMS)("the doctor on PostgreSQL", () => {
  test("says what a database is like before and after the first start, and changes nothing", async () => {
    using scene = await setUp();
    const places = await placesFor(scene.url);
    const before = await examine(scene.env);
    expect(before).toEqual([
      "ok secrets: given as settings",
      expect.stringMatching(
        /^ok database: PostgreSQL \d+\.\d+ takes writes; the first start makes the tables$/,
      ),
      expect.stringContaining("warning database: synchronous_standby_names is empty"),
      "ok database: its clock agrees with this machine's",
      `ok database: room for ${Math.floor(places / 10)} servers of 10 connections each (${places} in all)`,
      "ok database: belongs to no chain yet; the first start binds it to CHAIN=solana",
    ]);
    expect(await examine(scene.env)).toEqual(before);
    expect(existsSync(scene.env.DATA_DIR ?? "")).toBe(false);
    await startOnce(scene.env);
    const after = await examine(scene.env);
    expect(after[1]).toMatch(/takes writes, tables of version \d+$/);
    expect(after.at(-1)).toBe(
      `ok database: belongs to CHAIN=solana and the launch wallet ${scene.wallet}`,
    );
    const { hostname, port, password } = new URL(scene.url);
    for (const text of [password, `${hostname}:${port}`]) expect(after.join()).not.toContain(text);
  });

  test("fails on what a start refuses, in its words", async () => {
    using scene = await setUp();
    await startOnce(scene.env);
    const { MINT_SECRET: _, ...without } = scene.env;
    expect((await examine(without))[0]).toStartWith("failure secrets: MINT_SECRET is not set");
    const other = { ...scene.env, MINT_SECRET: "cd".repeat(32) };
    expect((await examine(other)).at(-1)).toStartWith(
      "failure database: MINT_SECRET is not the mint secret of the launches in the database",
    );
    await scene.run("update tokend_schema set version = 1000");
    expect((await examine(scene.env))[1]).toStartWith(
      "failure database: its tables have version 1000, and this program knows",
    );
    const wrong = scene.url.replace(/\/[^/]+$/, "/nowhere");
    const found = await examine({ ...scene.env, DATABASE_URL: wrong });
    expect(found[1]).toContain('database "nowhere" does not exist');
    expect(found).toHaveLength(2);
  });

  test("names the database if that is what is down, and nothing else", async () => {
    using scene = await setUp();
    using node = new RpcTestNode();
    await startOnce(scene.env);
    const env = {
      ...scene.env,
      RPC_URL: node.url,
      DATABASE_URL: "postgres://tokend:hush@127.0.0.1:9/tokend",
    };
    const found = new Map<string, string>();
    for await (const { verdict, subject } of checkAll(readConfig(env), env)) {
      found.set(subject, verdict);
    }
    expect(Object.fromEntries(found)).toMatchObject({ database: "failure", RPC: "ok" });
  });

  test("fails if a commit waits for no disk", async () => {
    using scene = await setUp();
    const name = new URL(scene.url).pathname.slice(1);
    await scene.run(`alter database ${name} set synchronous_commit = off`);
    expect(await examine(scene.env)).toContainEqual(
      expect.stringContaining("failure database: synchronous_commit=off: an accepted launch"),
    );
  });
});
