import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { dataFiles, readConfig } from "../../server/src/config/config.ts";
import { type RunningServer, startServer } from "../../server/src/server.ts";
import { openSqliteStore } from "../../server/src/store/sqlite/store.ts";
import { takeLaunch } from "../../server/src/testing/launches.ts";
import { ManualClock } from "../../server/src/testing/manual-clock.ts";
import type { TempStore } from "../../server/src/testing/temp-store.ts";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { writeKeypairFile } from "../support/keypair-file.ts";
import { startTestNode } from "../support/node.ts";
import { tempFolder } from "../support/processes.ts";

setDefaultTimeout(300_000);

type Env = Readonly<Record<string, string>>;

/** A folder for a server's data, and its launch wallets. */
function setUp() {
  const folder = tempFolder();
  const dataDir = join(folder.path, "data");
  const files = dataFiles(dataDir);
  const env = { PORT: "0", DATA_DIR: dataDir };
  const { env: cluster, wallet } = clusterSettings(folder.path);
  return {
    dataDir,
    files,
    folder: folder.path,
    wallet,
    sandbox: env,
    solana: { ...env, ...cluster },
    /** @returns the names of the files in the folder, locks left out */
    names: () => readdirSync(dataDir).filter((name) => !name.endsWith(".lock")),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

async function start(env: Env): Promise<RunningServer & AsyncDisposable> {
  const server = await startServer(readConfig(env), {
    clock: systemClock,
    log: createLog("silent"),
  });
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
}

/** Starts and stops again. */
async function startOnce(env: Env): Promise<void> {
  await using _ = await start(env);
}

/** @returns the error with which the server refuses to start */
async function refusal(env: Env): Promise<string> {
  try {
    await startOnce(env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the server started");
}

/** Starts a server that accepts one launch and stops. */
async function launchOnce(env: Env, ticker: string) {
  await using server = await start(env);
  const agent = await Agent.signedIn(server);
  const { body } = await agent.launch({ ticker });
  const { eventId } = body as { eventId: string };
  return { agent, eventId };
}

/** The database of a server that has stopped. */
function opened(path: string): TempStore {
  const clock = new ManualClock();
  const store = openSqliteStore(path, { clock });
  return { store, clock, path, [Symbol.dispose]: () => store.close() };
}

test("a real cluster's folder refuses to start as a sandbox, and its launch still waits", async () => {
  using dir = setUp();
  const { agent, eventId } = await launchOnce(dir.solana, "WAITS");
  const before = dir.names();
  expect(await refusal(dir.sandbox)).toBe(
    `${dir.dataDir} belongs to a real cluster (CHAIN=solana), but the settings name the sandbox ` +
      "(CHAIN=local). Set CHAIN=solana, or give this server another DATA_DIR.",
  );
  expect(dir.names()).toEqual(before);
  expect(before).not.toContain("localnet.sqlite");
  await using server = await start(dir.solana);
  agent.server = server;
  await agent.signIn();
  expect(await agent.status(eventId)).toMatchObject({ status: "pending", processedAt: null });
});

test("a sandbox's folder refuses to start on a real cluster, and still starts as a sandbox", async () => {
  using dir = setUp();
  await startOnce(dir.sandbox);
  expect(await refusal(dir.solana)).toStartWith(
    `${dir.dataDir} belongs to the sandbox (CHAIN=local), but the settings name a real cluster`,
  );
  await startOnce(dir.sandbox);
});

test("a server refuses to start with another launch wallet, unless ACCEPT_LAUNCH_WALLET names it", async () => {
  using dir = setUp();
  const other = writeKeypairFile(dir.folder, "other.json");
  await launchOnce(dir.solana, "WAITS");
  const changed = { ...dir.solana, LAUNCH_KEYPAIR: other.path };
  const sentence =
    `${dir.dataDir} belongs to the launch wallet ${dir.wallet.address}, but LAUNCH_KEYPAIR is that ` +
    `of ${other.address}. Set LAUNCH_KEYPAIR back, or give this server another DATA_DIR; to change ` +
    `the wallet for good, set ACCEPT_LAUNCH_WALLET=${other.address}.`;
  expect(await refusal(changed)).toBe(sentence);
  expect(await refusal({ ...changed, ACCEPT_LAUNCH_WALLET: dir.wallet.address })).toBe(sentence);
  await startOnce(dir.solana);
  await startOnce({ ...changed, ACCEPT_LAUNCH_WALLET: other.address });
  await startOnce(changed);
  expect(await refusal(dir.solana)).toContain(`belongs to the launch wallet ${other.address}`);
});

test("a server refuses to start if RPC_URL leads to another cluster", async () => {
  using dir = setUp();
  await using first = startTestNode();
  await using second = startTestNode();
  const at = (node: { url: string }) => ({ ...dir.solana, RPC_URL: node.url });
  await startOnce(at(first));
  expect(await refusal(at(second))).toBe(
    `RPC_URL leads to a cluster of its own (genesis ${second.genesisHash}), but this server's ` +
      `launches are on a cluster of its own (genesis ${first.genesisHash}). Set RPC_URL back, or ` +
      "give this server another DATA_DIR or DATABASE_URL.",
  );
  await startOnce(at(first));
});

test("a server that learns after its start that RPC_URL leads to another cluster launches nothing there", async () => {
  using dir = setUp();
  await using first = startTestNode();
  await using second = startTestNode();
  await startOnce({ ...dir.solana, RPC_URL: first.url });
  const agent = new Agent(first);
  using store = opened(dir.files.database);
  const owned = await takeLaunch(store, "OWNED", { wallet: agent.wallet, leaseId: "lease" });
  const [tokenMint, poolAddress] = [PublicKey.unique().toBase58(), PublicKey.unique().toBase58()];
  await store.store.launches.succeed(owned, { leaseId: "lease" }, { tokenMint, poolAddress });
  second.failNext(1);
  await using server = await start({ ...dir.solana, RPC_URL: second.url });
  agent.server = server;
  await agent.signIn();
  const { body } = await agent.launch({ ticker: "WAITS" });
  const health = async () => {
    const response = await fetch(`${server.url}/health`);
    return {
      status: response.status,
      body: (await response.json()) as { operatorMessage?: string },
    };
  };
  while (!(await health()).body.operatorMessage?.startsWith("RPC_URL leads to"))
    await Bun.sleep(10);
  expect((await health()).status).toBe(503);
  expect(await agent.get("/api/v1/tokens/claims")).toMatchObject({
    status: 503,
    body: { error: expect.stringContaining("RPC_URL leads to"), code: "wrong_cluster" },
  });
  const { eventId } = body as { eventId: string };
  expect((await agent.status(eventId)).status).toBe("pending");
  // Health checks, and nothing else.
  const harmless = ["getEpochInfo", "getGenesisHash", "getHealth", "getMultipleAccounts"];
  expect(second.methods.filter((method) => !harmless.includes(method))).toEqual([]);
});

test("a sandbox whose ledger was lost or replaced refuses to start, and makes no new one", async () => {
  using dir = setUp();
  using other = setUp();
  await startOnce(dir.sandbox);
  await startOnce(other.sandbox);
  const ledger = dir.files.localLedger;
  const kept = `${ledger}.kept`;
  copyFileSync(ledger, kept);
  rmSync(ledger);
  expect(await refusal(dir.sandbox)).toStartWith(`${ledger} is missing: it is the chain of`);
  expect(existsSync(ledger)).toBe(false);
  copyFileSync(other.files.localLedger, ledger);
  expect(await refusal(dir.sandbox)).toStartWith(`${ledger} is another chain than that of`);
  copyFileSync(kept, ledger);
  await startOnce(dir.sandbox);
});

test("a server with launches whose mint secret was lost refuses to start, and makes no new one", async () => {
  using dir = setUp();
  const secret = dir.files.mintSecret;
  await launchOnce(dir.solana, "WAITS");
  const kept = `${secret}.kept`;
  copyFileSync(secret, kept);
  rmSync(secret);
  const sentence = `${secret} is missing: with another one, launches in progress could be deployed a second time.`;
  expect(await refusal(dir.solana)).toStartWith(sentence);
  expect(existsSync(secret)).toBe(false);
  copyFileSync(kept, secret);
  chmodSync(secret, 0o600);
  await startOnce(dir.solana);
});

test("a server refuses to start with another mint secret, unless ACCEPT_MINT_SECRET names it", async () => {
  using dir = setUp();
  const secret = dir.files.mintSecret;
  await startOnce(dir.solana);
  const kept = `${secret}.kept`;
  copyFileSync(secret, kept);
  writeFileSync(secret, "cd".repeat(32), { mode: 0o600 });
  const message = await refusal(dir.solana);
  expect(message).toStartWith(
    `${secret} is not the mint secret of the launches in ${dir.files.database}: with it, launches in progress could be deployed a second time.`,
  );
  const fingerprint = /set ACCEPT_MINT_SECRET=([\w-]{22})\.$/.exec(message)?.[1] ?? "";
  rmSync(secret);
  // The same, given as a setting; no file is made of it.
  const given = { ...dir.solana, MINT_SECRET: "cd".repeat(32) };
  expect(await refusal(given)).toStartWith("MINT_SECRET is not the mint secret");
  await startOnce({ ...given, ACCEPT_MINT_SECRET: fingerprint });
  await startOnce(given);
  expect(existsSync(secret)).toBe(false);
  copyFileSync(kept, secret);
  chmodSync(secret, 0o600);
  expect(await refusal(given)).toStartWith(`MINT_SECRET is not the secret in ${secret}`);
  expect(await refusal(dir.solana)).toStartWith(`${secret} is not the mint secret`);
});

test("a sandbox without its own mint secret refuses to start and makes none, even without launches", async () => {
  using dir = setUp();
  await startOnce(dir.sandbox);
  rmSync(dir.files.mintSecret);
  expect(await refusal(dir.sandbox)).toStartWith(`${dir.files.mintSecret} is missing`);
  expect(existsSync(dir.files.mintSecret)).toBe(false);
  writeFileSync(dir.files.mintSecret, "ab".repeat(32), { mode: 0o600 });
  expect(await refusal(dir.sandbox)).toStartWith(
    `${dir.files.mintSecret} is not the one with which the sandbox was made.`,
  );
});

test("a server refuses to start if others can read its launch keypair", async () => {
  using dir = setUp();
  chmodSync(dir.wallet.path, 0o644);
  expect(await refusal(dir.solana)).toBe(
    `Keypair file ${dir.wallet.path} is open to other users of this machine (mode 644). ` +
      `If no other user has read it, run chmod 600 ${dir.wallet.path}.`,
  );
});
