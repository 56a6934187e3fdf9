import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Keypair, PublicKey } from "@solana/web3.js";
import { parseSol } from "@tokenctl/shared/sol";
import { buy } from "../../server/src/launchpad/meteora/testing/curve-trades.ts";
import { AgentActivity, earnAndClaim, launch } from "../chaos/agent-activity.ts";
import { compareWithChain, NO_DIFFERENCE } from "../chaos/compare-with-chain.ts";
import { figures } from "../chaos/scale.ts";
import type { Agent } from "../support/agent.ts";
import { airdrop } from "../support/airdrop.ts";
import { installBinaries } from "../support/binaries.ts";
import { configureMeteora } from "../support/meteora.ts";
import { startTokend, tempFolder } from "../support/processes.ts";
import { startNamedNode, VALIDATOR, type ValidatorNode } from "./node.ts";

setDefaultTimeout(600_000);

const KILLS = 3;
const LAUNCHES = 6;

describe.skipIf(VALIDATOR === null)("a node that is killed with kill -9", () => {
  const folder = tempFolder();
  let node: ValidatorNode;
  beforeAll(async () => {
    node = await startNamedNode();
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  test("among launches and claims loses and doubles nothing", async () => {
    const { tokend } = await installBinaries(folder.path);
    const { connection: chain } = node;
    const { env, launchWallet } = await configureMeteora(tokend, folder.path, node.url);
    const trader = Keypair.generate();
    await airdrop(chain, trader.publicKey, 1e15);
    let purchases = 0n;
    const earn = async (agent: Agent, mint: string) => {
      await airdrop(chain, agent.keypair.publicKey, 1e9);
      const { body } = await agent.get(`/api/v1/tokens/${mint}`);
      const pool = new PublicKey((body as { poolAddress: string }).poolAddress);
      // Each with another amount: two equal ones at one blockhash would be the same transaction.
      await buy(chain, { pool, trader }, parseSol("1") + purchases++);
    };
    await using server = await startTokend([tokend], folder.path, env);
    const activity = new AgentActivity();
    for (let kill = 0; kill < KILLS; kill++) {
      const former = activity.launches.slice(-2);
      await Promise.all(former.map((it) => earnAndClaim(server, activity, it, earn)));
      const before = activity.launches.length;
      const launching = Array.from({ length: LAUNCHES }, () => launch(server, activity));
      while (activity.launches.length < before + LAUNCHES / 2) await Bun.sleep(1);
      await node.kill();
      await node.restart();
      await Promise.all(launching);
    }
    const file = join(folder.path, "data", "tokend.sqlite");
    const result = await compareWithChain(server, chain, launchWallet, activity, file);
    figures(`kill -9 of the node (${process.env.TEST_NODE ?? "tower"})`, result);
    expect(result).toMatchObject({ ...NO_DIFFERENCE, launchesAccepted: KILLS * LAUNCHES });
    expect(result.claimsConfirmed).toBe(2 * (KILLS - 1));
  });
});
