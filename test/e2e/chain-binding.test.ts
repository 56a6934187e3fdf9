import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { dataFiles } from "../../server/src/config/config.ts";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { startTestNode } from "../support/node.ts";
import { tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";

setDefaultTimeout(300_000);

type Env = Readonly<Record<string, string>>;

function setUp() {
  const folder = tempDir();
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

async function startOnce(env: Env): Promise<void> {
  await using _ = await startHere(env);
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

async function launchOnce(env: Env, ticker: string) {
  await using server = await startHere(env);
  const agent = await Agent.signedIn(server);
  return { agent, eventId: await agent.accepted(ticker) };
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
  await using server = await startHere(dir.solana);
  agent.server = server;
  await agent.signIn();
  expect(await agent.status(eventId)).toMatchObject({ status: "pending", processedAt: null });
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
