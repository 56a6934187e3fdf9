import { Database } from "bun:sqlite";
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import pg from "pg";
import { type Clock, systemClock } from "../../base/clock.ts";
import { createLog } from "../../base/log.ts";
import { dataFiles, readConfig } from "../../config/config.ts";
import { NO_FOLDER } from "../../data/directory.ts";
import { openCluster } from "../../launchpad/meteora/testing/cluster.ts";
import { openLaunchpad, type TestLaunchpad } from "../../launchpad/meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../../launchpad/meteora/testing/programs.ts";
import { serveLocalnet } from "../../localnet/serve-rpc.ts";
import { startServer } from "../../server.ts";
import { RPC_ERROR_TEXTS, RpcError } from "../../solana/rpc-answer.ts";
import { OTHER_GENESIS, startNodes } from "../../solana/testing/rpc-test-node.ts";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../testing/postgres.ts";
import { tempDir } from "../../testing/temp-dir.ts";
import { checkAll, diagnose } from "../doctor.ts";
import { askHealth } from "../healthcheck.ts";
import { type Finding, messageOf } from "./finding.ts";

setDefaultTimeout(ON_CHAIN_MS);

type Env = Readonly<Record<string, string>>;

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Returns all findings of the doctor, as `verdict subject: text`. */
async function examine(env: Env, clock?: Clock): Promise<string[]> {
  return (await Array.fromAsync(checkAll(readConfig(env), env, clock))).map(shown);
}

const shown = ({ verdict, subject, text }: Finding) => `${verdict} ${subject}: ${text}`;

async function findingOf(subject: string, env: Env): Promise<string> {
  return (await examine(env)).findLast((line) => line.includes(` ${subject}:`)) ?? "";
}

function folder(): string {
  const dir = tempDir();
  stops.push(() => dir[Symbol.dispose]());
  return dir.path;
}

function keypairFile(keypair = Keypair.generate()) {
  const file = join(folder(), "launch.json");
  writeFileSync(file, JSON.stringify([...keypair.secretKey]), { mode: 0o600 });
  return { file, address: keypair.publicKey.toBase58() };
}

/** The settings of a real cluster that cannot be reached. */
function solana(dataDir: string, launchKeypair = keypairFile().file): Env {
  return {
    PORT: "0",
    DATA_DIR: dataDir,
    CHAIN: "solana",
    RPC_URL: "http://127.0.0.1:1",
    LAUNCH_KEYPAIR: launchKeypair,
    DBC_CONFIG: "11111111111111111111111111111111",
    PUBLIC_URL: "https://tokens.invalid",
    MAX_DAILY_SPEND_SOL: "1",
  };
}

async function start(env: Env) {
  const deps = { clock: systemClock, log: createLog("silent") };
  const server = await startServer(readConfig(env), deps);
  stops.push(() => server.stop());
  return server;
}

async function startOnce(env: Env): Promise<void> {
  await start(env);
  await stops.pop()?.();
}

/** A web server that is not a tokend. */
function serve(answer: (request: Request) => Response): string {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  stops.push(() => server.stop(true));
  return server.url.origin;
}

test("the doctor goes on without the settings that are missing, and says what it would check", async () => {
  const env = { CHAIN: "solana", RPC_URL: "http://127.0.0.1:1", DATA_DIR: folder() };
  const found = (await Array.fromAsync(diagnose(env))).map(shown);
  const missing = found.filter((line) => line.startsWith("failure settings: "));
  expect(missing.map((line) => line.split(" ")[2])).toEqual(
    expect.arrayContaining(["LAUNCH_KEYPAIR", "DBC_CONFIG", "PUBLIC_URL", "MAX_DAILY_SPEND_SOL"]),
  );
  expect(
    found.some((line) => line.startsWith("ok DATA_DIR: ") || line.startsWith("warning DATA_DIR: ")),
  ).toBe(true);
  expect(found).toContain(
    "failure RPC: The Solana RPC cannot be reached: check RPC_URL and this machine's network, or set RPC_URL to another node",
  );
  expect(found.at(-1)).toStartWith("skipped later: secrets, health, public URL, ");
});

test("the doctor says loudly that without settings it looks at a sandbox", async () => {
  const env = { PORT: "0", DATA_DIR: folder(), HOME: "/root" };
  const found = (await Array.fromAsync(diagnose(env))).map(shown);
  expect(found[0]).toStartWith("warning settings: CHAIN is not set: this looks at a SANDBOX in ");
  expect(found.join()).not.toMatch(/HOME/);
});

test("every failure of the RPC, and a file of another user, comes with what to do", () => {
  for (const kind of Object.keys(RPC_ERROR_TEXTS) as (keyof typeof RPC_ERROR_TEXTS)[]) {
    const text = messageOf(new RpcError(kind, "getSlot", "a text", { status: 500 }));
    expect([kind, text]).toEqual([
      kind,
      expect.stringMatching(/: (check|ask|raise) .*node$|: check the key/),
    ]);
  }
  const error = Object.assign(new Error("EACCES: permission denied, open 'x'"), { code: "EACCES" });
  expect(messageOf(error)).toBe(
    "permission denied, open 'x': run this as the server's user, or give the file to it (chown, chmod 600)",
  );
});

test("the doctor accepts a DATA_DIR that does not exist, and does not make it", async () => {
  const dataDir = join(folder(), "not", "yet");
  const found = await examine({ PORT: "0", DATA_DIR: dataDir });
  expect(found).toContain(`ok DATA_DIR: ${dataDir} does not exist yet; the first start makes it`);
  expect(found.filter((line) => line.startsWith("failure"))).toEqual([]);
  expect(existsSync(dataDir)).toBe(false);
});

test("the doctor reports what the running server's /health reports", async () => {
  const dataDir = join(folder(), "data");
  const env = solana(dataDir);
  const { url } = await start(env);
  expect(await findingOf("health", { ...env, PORT: new URL(url).port })).toStartWith(
    "failure health: The Solana RPC cannot be reached",
  );

  const sandbox = { PORT: "0", DATA_DIR: join(folder(), "data") };
  const { port } = new URL((await start(sandbox)).url);
  const found = await examine({ ...sandbox, PORT: port });
  expect(found).toContain("ok health: the server reports no problem");
});

test("the doctor fails on a DATA_DIR that no start could make, or that a newer version wrote", async () => {
  const [file, link] = [join(folder(), "file"), join(folder(), "link")];
  writeFileSync(file, "");
  symlinkSync("unmounted", link);
  const refused = (dataDir: string) => findingOf("DATA_DIR", { PORT: "0", DATA_DIR: dataDir });
  expect(await refused("/proc/tokend/data")).toStartWith("failure");
  for (const place of [file, link]) {
    for (const dataDir of [place, join(place, "data")]) {
      expect(await refused(dataDir)).toBe(`failure DATA_DIR: ${place} ${NO_FOLDER}`);
    }
  }
  const newer = { PORT: "0", DATA_DIR: folder() };
  await startOnce(newer);
  using client = new Database(dataFiles(newer.DATA_DIR).database);
  client.run("pragma user_version = 1000");
  expect(await findingOf("database", newer)).toStartWith(
    "failure database: The database has version 1000; this program knows ",
  );
});

test("the doctor fails if another program has the port", async () => {
  const { port } = new URL(serve(() => new Response("hello")));
  expect(await findingOf("health", { PORT: port, DATA_DIR: folder() })).toBe(
    "failure health: another program has PORT: set another",
  );
});

test("the doctor fails on secrets that others can open, and leaves them as they are", async () => {
  const dataDir = join(folder(), "data");
  const env = { PORT: "0", DATA_DIR: dataDir };
  await startOnce(env);
  expect(await examine(env)).toContain("ok secrets: only this user can open them");
  const { mintSecret } = dataFiles(dataDir);
  chmodSync(mintSecret, 0o640);
  expect((await examine(env)).filter((line) => line.startsWith("failure"))).toEqual([
    `failure secrets: ${mintSecret} is open to other users of this machine (mode 640). If no other user has read it, run chmod 600 ${mintSecret}.`,
  ]);
});

test("the doctor fails on a folder of another chain or launch wallet, in the words of a start", async () => {
  const dataDir = join(folder(), "data");
  const wallet = keypairFile();
  const other = keypairFile();
  const env = solana(dataDir, wallet.file);
  await startOnce(env);
  // Ignores the files that SQLite makes beside a database while it is read.
  const names = () =>
    readdirSync(dataDir)
      .filter((name) => !/-(shm|wal)$/.test(name))
      .sort();
  const before = names();
  expect(await examine(env)).toContain(
    `ok DATA_DIR: belongs to CHAIN=solana and the launch wallet ${wallet.address}`,
  );
  expect(await examine({ PORT: "0", DATA_DIR: dataDir })).toContain(
    `failure DATA_DIR: ${dataDir} belongs to a real cluster (CHAIN=solana), but the settings name the sandbox (CHAIN=local). Set CHAIN=solana, or give this server another DATA_DIR.`,
  );
  const changed = { ...env, LAUNCH_KEYPAIR: other.file };
  expect((await examine(changed)).join("\n")).toContain(
    `failure DATA_DIR: ${dataDir} belongs to ${wallet.address}, but LAUNCH_KEYPAIR names ${other.address}.`,
  );
  expect(await examine({ ...changed, ACCEPT_CHANGE: other.address })).toContain(
    `warning DATA_DIR: belongs to CHAIN=solana and the launch wallet ${wallet.address}; the next start changes that to ${other.address}`,
  );
  expect(names()).toEqual(before);
});

test("the doctor fails on a database beside the chain of another sandbox", async () => {
  const [one, two] = [join(folder(), "data"), join(folder(), "data")];
  const env = { PORT: "0", DATA_DIR: one };
  await startOnce(env);
  await startOnce({ PORT: "0", DATA_DIR: two });
  expect((await examine(env)).join("\n")).toContain("ok DATA_DIR: belongs to CHAIN=local and");
  await Bun.write(dataFiles(one).localLedger, Bun.file(dataFiles(two).localLedger));
  expect((await examine(env)).join("\n")).toContain(
    `failure DATA_DIR: ${dataFiles(one).localLedger} is another chain than that of the launches`,
  );
});

test("the doctor warns if nothing answers at PUBLIC_URL, and fails if only this machine can reach it", async () => {
  const env = solana(join(folder(), "data"));
  const found = (await examine(env)).filter((line) => line.includes("PUBLIC_URL:"));
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(
    /^warning PUBLIC_URL: no tokend answers at https:\/\/tokens\.invalid \(\w+\), where tokens' metadata will point/,
  );
  const onLoopback = await examine({ ...env, PUBLIC_URL: "http://127.0.0.1:8787" });
  expect(onLoopback.filter((line) => line.includes("only this machine reaches"))).toEqual([
    expect.stringMatching(/^failure PUBLIC_URL: PUBLIC_URL is http:\/\/127\.0\.0\.1:8787, which/),
  ]);
  const other = serve(() => new Response("hello")).replace("127.0.0.1", "localhost");
  expect(await askHealth(other)).toEqual({
    kind: "other",
    reason: "another program does, with HTTP 200",
  });
});

test("the doctor stops reading an endless answer", async () => {
  let chunks = 0;
  const url = serve(
    () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            chunks++;
            controller.enqueue(new Uint8Array(1024).fill(32));
            await Bun.sleep(0);
          },
        }),
      ),
  );
  expect(await askHealth(url)).toMatchObject({ kind: "other" });
  expect(chunks).toBeLessThan(10_000);
});

test("the doctor checks each of several nodes, and shows none of their URLs", async () => {
  using started = startNodes(3);
  const [good, late, other] = started;
  late.slot -= 200;
  other.genesis = OTHER_GENESIS;
  const nodes = async (...urls: string[]) => {
    const env = { ...solana(join(folder(), "data")), RPC_URL: urls.join() };
    const found = await examine(env);
    expect(found.join()).not.toMatch(/hunter2|127\.0\.0\.1:[1-9]/);
    return found.filter((line) => / RPC nodes?[ :]/.test(line));
  };
  const dead = "http://127.0.0.1:1/?api-key=hunter2";
  const unreachable = "cannot be reached: check RPC_URL and this machine's network";
  expect(await nodes(good.url, dead, late.url)).toEqual([
    "ok RPC node 1: testnet",
    `warning RPC node 2: ${unreachable}, or set RPC_URL to another node`,
    "warning RPC node 3: is behind its cluster: ask the provider, or set RPC_URL to another node",
  ]);
  expect(await nodes(good.url, other.url)).toEqual([
    "ok RPC node 1: testnet",
    "failure RPC node 2: is on another cluster: devnet: set RPC_URL to nodes of one cluster",
  ]);
  // The first node decides which cluster it is.
  expect(await nodes(dead, good.url)).toEqual([
    `failure RPC node 1: ${unreachable}, or set RPC_URL to another node`,
    "failure RPC node 2: has not answered yet: ask the provider, or set RPC_URL to another node",
  ]);
  expect(await nodes(good.url)).toEqual([]);
});

/** Returns a server's settings with the launchpad's wallet and config, on a node of its chain. */
function settingsOf({ cluster, config, launchWallet }: TestLaunchpad): Env {
  const node = serveLocalnet(cluster.chain, { port: 0 });
  stops.push(() => node.stop());
  const launchKeypair = keypairFile(launchWallet).file;
  return {
    ...solana(join(folder(), "data"), launchKeypair),
    RPC_URL: node.url,
    DBC_CONFIG: config.toBase58(),
  };
}

describeMeteora("the doctor on a cluster", () => {
  test("says what the cluster takes, as it is measured", async () => {
    const cluster = await openCluster({ slotMs: 200, rentPerByte: 696n });
    const env = settingsOf(await openLaunchpad(cluster));
    cluster.clock.advance(300_000);
    const lines = await examine(env);
    expect(lines).toContain(
      "ok pace: a block takes 0.20 s, so a transaction can land for 30 s; accounts cost 696 lamports a byte",
    );
    // A simulated launch has a random mint, whose address in the metadata's URL may be a
    // character or two shorter.
    const costs = [0n, 1n, 2n].map((bytes) => `${formatSol(1_198_072n - bytes * 696n)} SOL`);
    const cost = /launches of (\S+ SOL) above/.exec(
      lines.find((line) => line.includes(" wallet:")) ?? "",
    );
    expect(costs).toContain(cost?.[1] ?? "");
    expect(await findingOf("spending", { ...env, MAX_DAILY_SPEND_SOL: "0.001" })).toBeOneOf(
      costs.map(
        (each) =>
          `failure spending: MAX_DAILY_SPEND_SOL is 0.001, less than one launch costs (${each}), so nothing would be launched: raise it`,
      ),
    );
    expect(lines.filter((line) => line.includes(" spending:"))).toHaveLength(1);
  });

  test("says how much SOL a poor wallet needs, and is content with that", async () => {
    const cluster = await openCluster();
    const settings = settingsOf(await openLaunchpad(cluster));
    for (const lamports of [0n, 1_000_000n]) {
      const wallet = Keypair.generate();
      if (lamports > 0n) cluster.chain.airdrop(wallet.publicKey, lamports);
      const env = { ...settings, LAUNCH_KEYPAIR: keypairFile(wallet).file, MIN_WALLET_SOL: "0" };
      const said = () => findingOf("wallet", env);
      const [, needed = ""] =
        /^failure wallet: \S+ SOL in \w+: too little for a launch of \S+ SOL above the 0 SOL of MIN_WALLET_SOL; send at least (\S+) SOL to it: that is 84 launches a day, 8 of one network, 8 of one address$/.exec(
          await said(),
        ) ?? [];
      expect(needed).not.toBe("");
      expect(await findingOf("wallet", { ...env, MAX_DAILY_SPEND_SOL: "0.001" })).toEndWith(
        "SOL to it: that is 10 launches",
      );
      cluster.chain.airdrop(wallet.publicKey, BigInt(Math.round(Number(needed) * 1e9)));
      expect(await said()).toMatch(/^ok wallet: .* pays for 84 launches of .*84 launches a day/);
    }
  });

  test("says who earns what under the config, and warns of a foreign partner", async () => {
    const cluster = await openCluster();
    const launchpad = await openLaunchpad(cluster, { creatorShare: 80 });
    const { launchWallet } = launchpad;
    const all = await openLaunchpad(cluster);
    const env = settingsOf(launchpad);
    const fees = (changes: Env = {}) => findingOf("fees", { ...env, ...changes });
    const SPLIT =
      "of each trade 1 %: agent 0.64 %, partner 0.16 %, Meteora 0.2 %; " +
      "after migration 1 %: agent 0.64 %, partner 0.16 %, Meteora 0.2 %";
    expect(await fees()).toBe(`ok fees: ${SPLIT}; the partner is this wallet`);
    expect(await fees({ LAUNCH_KEYPAIR: keypairFile(all.launchWallet).file })).toBe(
      `warning fees: ${SPLIT}; the partner is ${launchWallet.publicKey}, which is not the launch wallet`,
    );
    const unpaid = { ...env, LAUNCH_PAYER: "agent", LAUNCH_KEYPAIR: "", MAX_DAILY_SPEND_SOL: "" };
    const walletless = await examine(unpaid, cluster.clock);
    expect(walletless).toContain(`ok fees: ${SPLIT}; the partner is ${launchWallet.publicKey}`);
    expect(walletless).toContain(
      "ok keypair: none: agents pay for their launches; claims are not sponsored, and pools not migrated",
    );
    expect(walletless.join()).not.toMatch(/failure |(wallet|spending):/);
    const sponsor = keypairFile(all.launchWallet).file;
    const spending = { LAUNCH_KEYPAIR: sponsor, MAX_DAILY_SPEND_SOL: "1" };
    const sponsored = await examine({ ...unpaid, ...spending });
    expect(sponsored).toContain("ok spending: migrations can take at most 1 SOL a day");
    const paid = await openLaunchpad(cluster, { creationLamports: 20_000_000n });
    expect(await fees({ DBC_CONFIG: paid.config.toBase58() })).toContain(
      "; of each launch 0.02 SOL: partner 0.018 SOL; the partner is",
    );
    expect(await fees({ DBC_CONFIG: all.config.toBase58() })).toBe(
      "ok fees: of each trade 1 %: agent 0.8 %, partner 0 %, Meteora 0.2 %; " +
        "after migration 1 %: agent 0.8 %, partner 0 %, Meteora 0.2 %",
    );

    // A cluster other than that of the first start.
    await startOnce(env);
    expect((await examine(env)).some((line) => line.startsWith("ok RPC:"))).toBe(true);
    const second = await openCluster();
    const elsewhere = serveLocalnet(second.chain, { port: 0 });
    stops.push(() => elsewhere.stop());
    expect((await examine({ ...env, RPC_URL: elsewhere.url })).at(-1)).toStartWith(
      `failure RPC: RPC_URL leads to a cluster of its own (genesis ${second.chain.genesisHash()}), but`,
    );
  });
});

test.each<[string, string, Env]>([
  [
    "spending",
    "ok spending: launches can take at most 2.5 SOL a day",
    { MAX_DAILY_SPEND_SOL: "2.5" },
  ],
  ["spending", "nothing limits what launches can take a day", { MAX_DAILY_SPEND_SOL: "unlimited" }],
  ["addresses", "TRUST_PROXY", {}],
])("the doctor's finding of %s says %p", async (subject, text, env) => {
  const found = await findingOf(subject, { ...solana("/nonexistent", "/nonexistent/key"), ...env });
  expect(found).toContain(text);
  expect(found).toStartWith(text.startsWith("ok ") ? "ok " : "warning ");
});

/** The settings of a server on an empty database of PostgreSQL; its cluster cannot be reached. */
async function onPostgres() {
  const url = await (await sharedPostgres()).createDatabase();
  const wallet = keypairFile();
  const env: Env = {
    ...solana(join(folder(), "none"), wallet.file),
    DATABASE_URL: url,
    MINT_SECRET: "ab".repeat(32),
    JWT_SECRET: "j".repeat(32),
  };
  return {
    env,
    url,
    wallet: wallet.address,
    async run(sql: string) {
      const client = new pg.Client(url);
      await client.connect();
      const { rows } = await client.query(sql);
      await client.end();
      return rows;
    },
  };
}

/** Returns what the doctor finds about the database and the secrets. */
async function storageOf(env: Env): Promise<string[]> {
  return (await examine(env)).filter((line) => / (database|secrets): /.test(line));
}

describe.skipIf(!POSTGRES_PROGRAMS)("the doctor on PostgreSQL", () => {
  test("says what a database is like before and after the first start, changes nothing, and fails on what a start refuses", async () => {
    const scene = await onPostgres();
    const before = await storageOf(scene.env);
    expect(before).toEqual([
      "ok secrets: given as settings",
      expect.stringMatching(
        /^ok database: PostgreSQL \d+\.\d+ takes writes, tables of version 0 of \d+$/,
      ),
      "ok database: belongs to no chain yet; the first start binds it to CHAIN=solana",
    ]);
    expect(await storageOf(scene.env)).toEqual(before);
    expect(existsSync(scene.env.DATA_DIR ?? "")).toBe(false);
    await startOnce(scene.env);
    const after = await storageOf(scene.env);
    expect(after[1]).toMatch(/takes writes, tables of version (\d+) of \1$/);
    expect(after.at(-1)).toBe(
      `ok database: belongs to CHAIN=solana and the launch wallet ${scene.wallet}`,
    );
    const { hostname, port, password, pathname } = new URL(scene.url);
    for (const text of [password, `${hostname}:${port}`]) expect(after.join()).not.toContain(text);

    const { MINT_SECRET: _, ...without } = scene.env;
    expect((await storageOf(without))[0]).toStartWith("failure secrets: MINT_SECRET is not set");
    const other = { ...scene.env, MINT_SECRET: "cd".repeat(32) };
    expect((await storageOf(other)).at(-1)).toStartWith(
      "failure database: MINT_SECRET is not the mint secret of the launches in the database",
    );
    await scene.run("update tokend_schema set version = 1000");
    await scene.run(`alter database ${pathname.slice(1)} set synchronous_commit = off`);
    expect((await storageOf(scene.env)).slice(1, 3)).toEqual([
      expect.stringMatching(
        /^failure database: its tables have version 1000, and this program knows/,
      ),
      expect.stringMatching(/^failure database: synchronous_commit=off: an accepted launch/),
    ]);
    const wrong = scene.url.replace(/\/[^/]+$/, "/nowhere");
    const found = await storageOf({ ...scene.env, DATABASE_URL: wrong });
    expect(found[1]).toContain('database "nowhere" does not exist');
    expect(found).toHaveLength(2);
  });

  test("names the database if that is what is down, and nothing else", async () => {
    const scene = await onPostgres();
    using nodes = startNodes(1);
    const [node] = nodes;
    const env = {
      ...scene.env,
      RPC_URL: node.url,
      DATABASE_URL: "postgres://tokend:hush@127.0.0.1:9/tokend",
    };
    const found = await examine(env);
    expect(found.filter((line) => line.startsWith("failure ")).join()).toMatch(
      /^failure database: DATABASE_URL leads to no usable database: .*: start it, or correct DATABASE_URL,/,
    );
    expect(found.join("\n")).toMatch(/^ok RPC: /m);
  });
});
