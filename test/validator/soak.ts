import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Keypair, PublicKey } from "@solana/web3.js";
import { payoutOf } from "@tokenctl/shared/payout";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { parseSol } from "@tokenctl/shared/sol";
import {
  ApiError,
  ClaimReceiptError,
  ClaimUnsettledError,
  ConnectionError,
  HandOverUnsettledError,
  keypairSigner,
  RpcError,
  TimeoutError,
  TokenctlClient,
} from "../../sdk/src/index.ts";
import { buy } from "../../server/src/launchpad/meteora/testing/trades.ts";
import { FaultyRpc } from "../../server/src/solana/testing/faulty-rpc.ts";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { memoryOf } from "../chaos/memory.ts";
import { figures } from "../chaos/scale.ts";
import { installBinaries } from "../support/binaries.ts";
import { configureMeteora } from "../support/meteora.ts";
import { airdrop } from "../support/node.ts";
import { type ServerProcess, startTokend, tempDir } from "../support/processes.ts";
import { startNamedNode, VALIDATOR, type ValidatorNode } from "./node.ts";

/** How long agents live while the server and the node are killed by turns. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 45);
const KILLS = Math.max(4, Math.floor(SECONDS / 90));
const AT_ONCE = 4;
const PAYS_EVERY = 3;
const HANDS_OVER_EVERY = 10;

setDefaultTimeout((SECONDS + 900) * 1000);

describe.skipIf(VALIDATOR === null)("agents on a node, while it and the server are killed", () => {
  const folder = tempDir();
  let node: ValidatorNode;
  beforeAll(async () => {
    node = await startNamedNode({ shreds: 400_000 });
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test("each gets one token and all its fees", async () => {
    const { tokend } = await installBinaries(folder.path);
    await using proxy = FaultyRpc.before(node.url);
    const { env } = await configureMeteora(tokend, folder.path, proxy.url);
    const { DBC_CONFIG: config = "" } = env;
    const port = await heldPort();
    const settings = {
      ...env,
      PORT: `${port}`,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      LAUNCH_PAYER: "either",
    };
    const start = () => startTokend([tokend], folder.path, settings);
    let server: ServerProcess = await start();
    const { url } = server;
    const trader = Keypair.generate();
    const until = Date.now() + SECONDS * 1000;
    const memory: number[] = [];
    const kills = { server: 0, node: 0 };
    const done = { lives: 0, paid: 0, handedOver: 0, claims: 0 };
    const wrong: string[] = [];
    let trades = 0;
    const callsBefore = proxy.calls.length;
    await airdrop(node.connection, trader.publicKey, 1e15);

    async function newAgent() {
      const keypair = Keypair.generate();
      const signer = keypairSigner(keypair.secretKey);
      const client = new TokenctlClient({ apiUrl: url, rpcUrl: node.url, signer, maxRetries: 8 });
      const wallet = keypair.publicKey.toBase58();
      const agent = { client, wallet, funded: 0, fund };
      async function fund() {
        await again(() => airdrop(node.connection, keypair.publicKey, 1e9));
        agent.funded++;
      }
      await fund();
      return agent;
    }
    type Owner = Awaited<ReturnType<typeof newAgent>>;

    async function earn(owner: Owner, mint: string, pool: PublicKey, life: number) {
      const { client, wallet } = owner;
      let claims: { transactionHash: string; dbcClaimedLamports: string }[] = [];
      // A node that is killed forgets its latest blocks: then the trade has to be made again.
      while (claims.length === 0) {
        // Each with another amount: two equal ones at one blockhash would be the same transaction.
        const lamports = parseSol("1") + BigInt(life + 100_000 * trades++);
        await again(() => buy(node.connection, { pool, trader }, lamports));
        // Until nothing is left: a trade or a claim whose answer was lost may have landed too.
        while (await again(() => client.claim(mint).catch(nothingLeft), owner));
        claims = await again(() => Array.fromAsync(client.claimHistory()));
      }
      done.claims++;
      for (const { transactionHash, dbcClaimedLamports } of claims) {
        const landed = await again(async () => {
          const found = await node.connection.getTransaction(transactionHash, {
            commitment: "confirmed",
            maxSupportedTransactionVersion: 0,
          });
          if (found === null && (await node.connection.getSlot("confirmed")) <= node.killedAt) {
            throw new Error("The transaction is not found while the node reads its ledger");
          }
          return found;
        });
        const paid = landed?.meta?.err === null ? payoutOf(landed.meta, wallet) : -1n;
        if (paid !== BigInt(dbcClaimedLamports ?? -2)) wrong.push(`claim ${transactionHash}`);
      }
    }

    async function live(life: number): Promise<void> {
      const agent = await newAgent();
      const payer = life % PAYS_EVERY === 0 ? ("agent" as const) : ("operator" as const);
      const request = { name: `Life ${life}`, ticker: `L${life}`, payer };
      const launch = await again(async () => {
        // A launch that was cancelled because its wallet had lost its SOL is requested as another one.
        const options = { idempotencyKey: `life-${life}-${agent.funded}`, expectedConfig: config };
        const { eventId } = await agent.client.launch(request, options);
        return agent.client.waitForLaunch(eventId, { intervalMs: 200 });
      }, agent);
      const { tokenMint: mint, poolAddress } = launch;
      if (mint === null || poolAddress === null) {
        wrong.push(`launch ${launch.eventId} ${launch.status}: ${launch.error}`);
        return;
      }
      const pool = new PublicKey(poolAddress);
      await earn(agent, mint, pool, life);
      if (life % HANDS_OVER_EVERY === 0) {
        const receiver = await newAgent();
        await again(async () => {
          const { tokens } = await agent.client.tokens();
          if (tokens.some(({ tokenMint }) => tokenMint === mint)) {
            await agent.client.handOver(mint, { to: receiver.wallet });
          }
        }, agent);
        await again(() => receiver.client.acceptToken(mint));
        await earn(receiver, mint, pool, life);
        done.handedOver++;
      }
      done.paid += payer === "agent" ? 1 : 0;
      done.lives++;
    }

    let next = 0;
    const lives = Array.from({ length: AT_ONCE }, async () => {
      while (Date.now() < until) {
        const life = next++;
        await live(life).catch((error) => wrong.push(`life ${life}: ${error?.stack ?? error}`));
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await Bun.sleep((SECONDS * 1000) / (KILLS + 1));
      memory.push(memoryOf(server.pid, "VmRSS"));
      if (kill % 2 === 0) {
        await server.end("SIGKILL");
        server = await start();
        kills.server++;
      } else {
        await node.kill();
        await node.restart();
        kills.node++;
      }
      figures("soak", { ...done, wrong, kills, memory: memory.at(-1) });
    }
    await Promise.all(lives);
    memory.push(memoryOf(server.pid, "VmRSS"));
    const callsPerLife = (proxy.calls.length - callsBefore) / done.lives;
    using database = new Database(join(folder.path, "data", "tokend.sqlite"), { readonly: true });
    const ended = database
      .query<{ status: string; count: number }, []>(
        "select status, count(*) as count from launches group by status",
      )
      .all();
    const pools = await node.connection.getProgramAccounts(new PublicKey(dbc.id), {
      filters: [{ memcmp: { offset: POOL_CONFIG_OFFSET, bytes: config } }],
      dataSlice: { offset: 0, length: 0 },
    });
    const result = { ...done, pools: pools.length, ended, kills, callsPerLife, memory, wrong };
    figures(`soak of ${SECONDS} s (${process.env.TEST_NODE ?? "tower"})`, result);
    await server[Symbol.asyncDispose]();
    expect(wrong).toEqual([]);
    expect(ended).toContainEqual({ status: "success", count: next });
    expect(pools.length).toBe(next);
  });
});

const POOL_CONFIG_OFFSET = 8 + 64;

function nothingLeft(error: unknown): null {
  if (error instanceof ApiError && error.code === "no_fees_to_claim") return null;
  throw error;
}

/** Does a step until no kill is in its way. A node that is killed forgets its latest blocks, and the SOL in them. */
async function again<T>(step: () => Promise<T>, wallet?: { fund(): Promise<void> }): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (wallet && error instanceof ApiError && error.wallet) await wallet.fund();
      else if (!isOfKill(error)) throw error;
      await Bun.sleep(200);
    }
  }
}

const UNANSWERED = [ConnectionError, TimeoutError, RpcError];
const UNDECIDED = [ClaimUnsettledError, HandOverUnsettledError];
const FORGOTTEN = /ECONN|Connection|socket|fetch|was not confirmed|not found|there is no mint/i;

function isOfKill(error: unknown): boolean {
  if (error instanceof ApiError && (error.code === "claim_expired" || error.status === 503)) {
    return true;
  }
  if (error instanceof ClaimReceiptError && error.code === "claim_unverified") return true;
  if ([...UNANSWERED, ...UNDECIDED].some((kind) => error instanceof kind)) return true;
  return !(error instanceof ApiError) && FORGOTTEN.test(String(error));
}
