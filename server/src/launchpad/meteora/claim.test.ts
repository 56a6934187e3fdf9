import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { Keypair } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import { claimOf } from "../pool-program.ts";
import { readable } from "../testing/readable.ts";
import { clonePosition, migratedToken } from "./testing/clone.ts";
import { openMarket, SOL, type TestLaunchpad, type TestToken } from "./testing/launchpad.ts";
import { givePositions } from "./testing/positions.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { send } from "./testing/send.ts";
import { tradedAfterMigration } from "./testing/trades.ts";

setDefaultTimeout(ON_CHAIN_MS);

const SIGNATURE_FEE = 5_000n;

/** Claims a token's fees for a wallet. @returns the lamports that it paid */
async function sendClaim(
  { cluster: { chain, connection }, program }: TestLaunchpad,
  wallet: Keypair,
  token: TokenRef,
) {
  const before = chain.getBalance(wallet.publicKey);
  const parts = await program.claim(wallet.publicKey.toBase58(), [token]);
  if (!parts) throw new Error("nothing to claim");
  const instructions = claimOf(parts);
  await send(connection, instructions, [wallet]);
  return {
    paid: chain.getBalance(wallet.publicKey) - before + SIGNATURE_FEE,
    instructions: instructions.length,
  };
}

describeMeteora("claim", () => {
  let launchpad: TestLaunchpad;
  let trader: Keypair;

  beforeAll(async () => {
    ({ launchpad, trader } = await openMarket({ creatorShare: 37 }));
  });

  test("takes a single lamport, and leaves out a position without fees", async () => {
    const { cluster } = launchpad;
    const { token, agent } = await tradedAfterMigration(launchpad, trader);
    await sendClaim(launchpad, agent, token.ref);
    expect(await launchpad.program.claim(token.order.wallet, [token.ref])).toBeNull();
    const source = await migratedToken(cluster.connection, token, agent.publicKey);
    clonePosition(cluster.chain, source, { pool: source.liquidityPool, pending: 1n });
    expect((await feesOf(token)).liquidityPool.claimable).toBe(1n);
    expect(await sendClaim(launchpad, agent, token.ref)).toMatchObject({
      paid: 1n,
      instructions: 5,
    });
    expect(await launchpad.program.claim(token.order.wallet, [token.ref])).toBeNull();
  });

  test("works for a position whose NFT was given away", async () => {
    const { token, agent } = await tradedAfterMigration(launchpad, trader);
    const { claimable } = (await feesOf(token)).liquidityPool;
    const newCreator = launchpad.cluster.wallet(SOL);
    await givePositions(launchpad.cluster.connection, agent, newCreator.publicKey);
    const claim = await sendClaim(launchpad, newCreator, token.ref);
    expect(claim).toMatchObject({ paid: claimable, instructions: 5 });
    const again = launchpad.program.claim(newCreator.publicKey.toBase58(), [token.ref]);
    expect(await again).toBeNull();
  });

  async function feesOf(token: TestToken) {
    const [fees] = readable(await launchpad.program.readFees(token.order.wallet, [token.ref]));
    if (!fees) throw new Error("no fees");
    return fees;
  }
});
