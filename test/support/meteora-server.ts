import { PublicKey, SystemProgram } from "@solana/web3.js";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { generateKeypair } from "../../server/src/base/native-keys.ts";
import { readConfig } from "../../server/src/config/config.ts";
import {
  type ConfigTerms,
  DEFAULT_CONFIG_TERMS,
} from "../../server/src/launchpad/meteora/config-terms.ts";
import { createConfig } from "../../server/src/launchpad/meteora/create-config.ts";
import { writeMeteoraGenesis } from "../../server/src/launchpad/meteora/genesis.ts";
import { meteoraBinaries } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { send } from "../../server/src/launchpad/meteora/testing/send.ts";
import { buy, migrate } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { startServer } from "../../server/src/server.ts";
import { createConnection } from "../../server/src/solana/connection.ts";
import { startNamedNode } from "../validator/node.ts";
import { Agent } from "./agent.ts";
import { writeKeypairFile } from "./cluster-settings.ts";
import { airdrop, startTestNode } from "./node.ts";
import { NO_RATE_LIMITS, tempDir } from "./processes.ts";

const SOL = 1_000_000_000n;
const DAY_MS = 86_400_000;

/** More than any curve here takes, in lamports. */
const ALL_OF_IT = 400n * SOL;

/** A cluster with Meteora's programs in this process, or the real node that `TEST_NODE` names. */
async function startCluster() {
  if (process.env.TEST_NODE) return await startNamedNode();
  const node = startTestNode(meteoraBinaries);
  await writeMeteoraGenesis(node.chain);
  return node;
}

/** Starts the service in this process, on a cluster that has Meteora's programs. */
export async function startMeteoraServer(
  env: Readonly<Record<string, string>> = {},
  terms: Partial<ConfigTerms> = {},
) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(tempDir());
  const node = stack.use(await startCluster());
  const connection = createConnection(node.url);
  const { path, keypair: launchWallet } = writeKeypairFile(folder.path);
  const trader = generateKeypair();
  for (const { publicKey } of [launchWallet, trader]) await airdrop(connection, publicKey, 1e13);
  const { config, instructions, signers } = createConfig(launchWallet.publicKey, {
    ...DEFAULT_CONFIG_TERMS,
    ...terms,
  });
  await send(connection, instructions, [launchWallet, ...signers]);
  const given = {
    CHAIN: "solana",
    RPC_URL: node.url,
    LAUNCH_KEYPAIR: path,
    DBC_CONFIG: config.toBase58(),
    PUBLIC_URL: "https://tokens.example",
    DATA_DIR: `${folder.path}/data`,
    PORT: "0",
    LOG_LEVEL: "silent",
    MAX_DAILY_SPEND_SOL: "unlimited",
    MAX_LAUNCHES_PER_ADDRESS: "0",
    MAX_QUEUE: "0",
    ...NO_RATE_LIMITS,
    ...env,
  };
  const settings = readConfig(given);
  let ahead = 0;
  const clock = {
    ...systemClock,
    now: () => Date.now() + ahead,
    elapsed: () => systemClock.elapsed() + ahead,
  };
  const server = await startServer(settings, { clock, log: createLog("silent") });
  stack.defer(() => server.stop());
  /** A new agent with 1 SOL. */
  async function newAgent(): Promise<Agent> {
    const agent = await Agent.signedIn(server);
    await airdrop(connection, agent.keypair.publicKey, Number(SOL));
    return agent;
  }
  /** Launches a token, and buys it for 5 SOL. */
  async function launch(agent: Agent, ticker: string) {
    const { tokenMint, poolAddress } = await agent.launched(ticker);
    if (!tokenMint || !poolAddress) throw new Error(`${ticker} was not launched`);
    const pool = new PublicKey(poolAddress);
    await buy(connection, { pool, trader }, 5n * SOL);
    return { mint: tokenMint, pool };
  }
  const owned = stack.move();
  return {
    url: server.url,
    env: given,
    metricsUrl: server.metricsUrl,
    dataDir: settings.dataDir,
    rpcUrl: node.url,
    /** The embedded chain; null on a real node. */
    chain: "chain" in node ? node.chain : null,
    balance: async (address: string) => BigInt(await connection.getBalance(new PublicKey(address))),
    failRpc: () => "rpc" in node && node.rpc.spoil("500"),
    async emptyLaunchWallet(): Promise<void> {
      const { publicKey } = launchWallet;
      const fee = 5_000n;
      const lamports = BigInt(await connection.getBalance(publicKey)) - fee;
      const instruction = SystemProgram.transfer({
        fromPubkey: publicKey,
        toPubkey: trader.publicKey,
        lamports,
      });
      await send(connection, [instruction], [launchWallet]);
    },
    pass(milliseconds: number): void {
      ahead += milliseconds;
    },
    connection,
    config,
    trader,
    agent: newAgent,
    /** A new agent and its token, which is bought for 5 SOL. */
    async token(ticker: string) {
      const agent = await newAgent();
      return { agent, ...(await launch(agent, ticker)) };
    },
    /** Launches a token on a day of its own, and buys it for 5 SOL. */
    async launched(agent: Agent, ticker: string) {
      ahead += DAY_MS;
      await agent.signIn();
      return launch(agent, ticker);
    },
    async graduate(pool: PublicKey): Promise<void> {
      await buy(connection, { pool, trader }, ALL_OF_IT);
      await migrate(connection, pool, trader);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
