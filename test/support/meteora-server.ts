import { PublicKey, SystemProgram } from "@solana/web3.js";
import { systemClock } from "../../server/src/base/clock.ts";
import {
  type ConfigTerms,
  DEFAULT_CONFIG_TERMS,
} from "../../server/src/launchpad/meteora/config-terms.ts";
import { send } from "../../server/src/launchpad/meteora/testing/send.ts";
import { buy, migrate } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { FaultyRpc } from "../../server/src/solana/testing/faulty-rpc.ts";
import { Agent } from "./agent.ts";
import { Cluster } from "./cluster.ts";
import { airdrop } from "./node.ts";
import { NO_RATE_LIMITS, tempDir } from "./processes.ts";
import { startHere } from "./test-server.ts";

const SOL = 1_000_000_000n;
const DAY_MS = 86_400_000;

/** More than any curve here takes, in lamports. */
const ALL_OF_IT = 400n * SOL;

/** Starts the service in this process, on a cluster that has Meteora's programs. */
export async function startMeteoraServer(
  env: Readonly<Record<string, string>> = {},
  terms: Partial<ConfigTerms> = {},
) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(tempDir());
  const cluster = stack.use(await Cluster.start());
  const { chain: connection, trader } = cluster;
  const { keypair: launchWallet, env: own } = await cluster.launchWallet();
  const config = await cluster.anotherConfig({ ...DEFAULT_CONFIG_TERMS, ...terms }, launchWallet);
  const rpc = stack.use(FaultyRpc.before(cluster.url));
  const given = {
    ...own,
    DBC_CONFIG: config,
    RPC_URL: rpc.url,
    DATA_DIR: `${folder.path}/data`,
    PORT: "0",
    LOG_LEVEL: "silent",
    ...NO_RATE_LIMITS,
    ...env,
  };
  let ahead = 0;
  const clock = {
    ...systemClock,
    now: () => Date.now() + ahead,
    elapsed: () => systemClock.elapsed() + ahead,
  };
  const server = stack.use(await startHere(given, { clock }));
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
    dataDir: given.DATA_DIR,
    rpcUrl: cluster.url,
    balance: async (address: string) => BigInt(await connection.getBalance(new PublicKey(address))),
    failRpc: () => rpc.spoil("500"),
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
    config: new PublicKey(config),
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
