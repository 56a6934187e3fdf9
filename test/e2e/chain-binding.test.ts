import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { dataFiles, readConfig } from "../../server/src/config/config.ts";
import { type RunningServer, startServer } from "../../server/src/server.ts";
import { openStore } from "../../server/src/store/store.ts";
import { insertToken } from "../../server/src/testing/launches.ts";
import { ManualClock } from "../../server/src/testing/manual-clock.ts";
import type { TempStore } from "../../server/src/testing/temp-store.ts";
import { Agent } from "../support/agent.ts";
import { startTestNode } from "../support/node.ts";
import { tempFolder } from "../support/processes.ts";

setDefaultTimeout(60_000);

/** Nobody listens there: launches wait. */
const NO_NODE = "http://127.0.0.1:1";

type Env = Readonly<Record<string, string>>;

/** A folder for a server's data, and its launch wallets. */
function setUp() {
  const folder = tempFolder();
  const dataDir = join(folder.path, "data");
  const files = dataFiles(dataDir);
  const env = { PORT: "0", DATA_DIR: dataDir };
  const launchWallet = (name: string) => {
    const wallet = Keypair.generate();
    const file = join(folder.path, `${name}.json`);
    writeFileSync(file, JSON.stringify([...wallet.secretKey]), { mode: 0o600 });
    return { file, address: wallet.publicKey.toBase58() };
  };
  const wallet = launchWallet("launch");
  const solana = {
    ...env,
    CHAIN: "solana",
    RPC_URL: NO_NODE,
    LAUNCH_KEYPAIR: wallet.file,
    DBC_CONFIG: "11111111111111111111111111111111",
    PUBLIC_URL: "https://tokens.example",
    MAX_DAILY_SPEND_SOL: "1",
  };
  return {
    dataDir,
    files,
    launchWallet,
    wallet,
    sandbox: env,
    solana,
    /** What is in the folder, the locks aside. */
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

/** What a start is stopped with. */
async function refusal(env: Env): Promise<string> {
  try {
    await startOnce(env);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the server started");
}

/** Has an agent's launch accepted by a server that stops then. */
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
  const store = openStore(path, clock);
  return { store, clock, path, [Symbol.dispose]: () => store.close() };
}

/** Forgets what the data belong to, as the databases of older versions never knew it. */
function unbind(path: string): void {
  using client = new Database(path);
  client.run("delete from chain_binding");
}

test("a production folder that is started without CHAIN=solana stops the start, and its launch still waits", async () => {
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

test("a sandbox's folder stops a start on a real cluster, and the sandbox goes on", async () => {
  using dir = setUp();
  await startOnce(dir.sandbox);
  expect(await refusal(dir.solana)).toStartWith(
    `${dir.dataDir} belongs to the sandbox (CHAIN=local), but the settings name a real cluster`,
  );
  await startOnce(dir.sandbox);
});

test("another launch wallet stops the start unless it is named as the new one", async () => {
  using dir = setUp();
  const other = dir.launchWallet("other");
  await launchOnce(dir.solana, "WAITS");
  const changed = { ...dir.solana, LAUNCH_KEYPAIR: other.file };
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

test("another cluster behind RPC_URL stops the start", async () => {
  using dir = setUp();
  await using first = startTestNode();
  await using second = startTestNode();
  const at = (node: { url: string }) => ({ ...dir.solana, RPC_URL: node.url });
  await startOnce(at(first));
  expect(await refusal(at(second))).toBe(
    `RPC_URL leads to a cluster of its own (genesis ${second.genesisHash}), but this server's ` +
      `launches are on a cluster of its own (genesis ${first.genesisHash}). Set RPC_URL back, or ` +
      "give this server another DATA_DIR.",
  );
  await startOnce(at(first));
});

test("a cluster that only answers once the server has started is told apart as well", async () => {
  using dir = setUp();
  await using first = startTestNode();
  await using second = startTestNode();
  await startOnce({ ...dir.solana, RPC_URL: first.url });
  const agent = new Agent(first);
  using store = opened(dir.files.database);
  insertToken(store, "OWNED", { wallet: agent.wallet });
  second.failNext(1);
  await using server = await start({ ...dir.solana, RPC_URL: second.url });
  agent.server = server;
  await agent.signIn();
  const { body } = await agent.launch({ ticker: "WAITS" });
  const health = async () => {
    const response = await fetch(`${server.url}/health`);
    return { status: response.status, body: (await response.json()) as { message: string } };
  };
  while (!(await health()).body.message.startsWith("RPC_URL leads to")) await Bun.sleep(10);
  expect((await health()).status).toBe(503);
  expect(await agent.get("/api/v1/tokens/claims")).toMatchObject({
    status: 503,
    body: { error: expect.stringContaining("RPC_URL leads to"), code: "wrong_cluster" },
  });
  const { eventId } = body as { eventId: string };
  expect((await agent.status(eventId)).status).toBe("pending");
  // What is asked of a node to see whether it is well, and nothing else.
  const harmless = ["getGenesisHash", "getHealth", "getMultipleAccounts"];
  expect(second.methods.filter((method) => !harmless.includes(method))).toEqual([]);
});

test("of a folder that an older version made, what lies in it tells the chain", async () => {
  using dir = setUp();
  await launchOnce(dir.sandbox, "OLD");
  unbind(dir.files.database);
  expect(await refusal(dir.solana)).toContain(
    `belongs to the sandbox (CHAIN=local): ${dir.files.localLedger} is beside its launches (move it away if it came there by mistake), but the settings name a real cluster`,
  );
  await startOnce(dir.sandbox);

  using production = setUp();
  await launchOnce(production.solana, "OLD");
  unbind(production.files.database);
  expect(await refusal(production.sandbox)).toContain(
    `belongs to a real cluster (CHAIN=solana): there is no ${production.files.localLedger} beside its launches, but the settings name the sandbox`,
  );
  expect(existsSync(production.files.localLedger)).toBe(false);
  await startOnce(production.solana);
});

test("a sandbox whose chain was lost or swapped does not start, and makes no new one", async () => {
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

test("launches whose mint secret was lost stop the start, and no new one is made", async () => {
  using dir = setUp();
  const secret = dir.files.mintSecret;
  await launchOnce(dir.solana, "WAITS");
  const kept = `${secret}.kept`;
  copyFileSync(secret, kept);
  rmSync(secret);
  const sentence = `${secret} is missing: with another one, launches in progress could be deployed a second time.`;
  expect(await refusal(dir.solana)).toStartWith(sentence);
  unbind(dir.files.database);
  expect(await refusal(dir.solana)).toStartWith(sentence);
  expect(existsSync(secret)).toBe(false);
  copyFileSync(kept, secret);
  chmodSync(secret, 0o600);
  await startOnce(dir.solana);
});

test("a sandbox does not start with another mint secret, nor makes one, even without launches", async () => {
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

test("a launch keypair that others can read stops the start", async () => {
  using dir = setUp();
  chmodSync(dir.wallet.file, 0o644);
  expect(await refusal(dir.solana)).toBe(
    `Keypair file ${dir.wallet.file} is open to other users of this machine (mode 644). ` +
      `If nobody else has seen it, run chmod 600 ${dir.wallet.file}.`,
  );
});
