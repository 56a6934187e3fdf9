import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { getAssociatedTokenAddressSync, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token";
import type { Keypair } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import { claimOf } from "../pool-program.ts";
import { readable } from "../testing/readable.ts";
import { liquidityPoolAddress } from "./liquidity-reader.ts";
import { clonePosition, migratedToken } from "./testing/clone.ts";
import { openMarket, SOL, type TestLaunchpad, type TestToken } from "./testing/launchpad.ts";
import { givePositions } from "./testing/positions.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { send } from "./testing/send.ts";
import { buy, buyMigrated, traded, tradedAfterMigration } from "./testing/trades.ts";

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

  test("pays what was claimable, to the lamport, and leaves the agent's account as it was before", async () => {
    const { token, agent } = await traded(launchpad, trader);
    const { chain, connection } = launchpad.cluster;
    const { publicKey } = agent;
    const account = getAssociatedTokenAddressSync(
      token.mint,
      publicKey,
      false,
      TOKEN_2022_PROGRAM_ID,
    );
    const { bondingCurve } = await feesOf(token);
    const first = await sendClaim(launchpad, agent, token.ref);
    expect(first).toMatchObject({ paid: bondingCurve.claimable, instructions: 5 });
    expect(await launchpad.program.claim(token.order.wallet, [token.ref])).toBeNull();
    expect(chain.getAccount(account)).toBeNull();
    await buy(connection, { pool: token.pool, trader: agent }, SOL / 10n);
    const before = chain.getAccount(account);
    expect(before?.lamports).toBeGreaterThan(0n);
    const { claimable } = (await feesOf(token)).bondingCurve;
    const second = await sendClaim(launchpad, agent, token.ref);
    expect(second).toMatchObject({ paid: claimable, instructions: 3 });
    expect(chain.getAccount(account)).toEqual(before);
  });

  test("takes only the pool's fees if the curve has none", async () => {
    const { token, agent } = await tradedAfterMigration(launchpad, trader);
    await sendClaim(launchpad, agent, token.ref);
    const pool = liquidityPoolAddress(MigrationFeeOption.Customizable, token.mint);
    const { total: before } = (await feesOf(token)).liquidityPool;
    await buyMigrated(launchpad.cluster.connection, { pool, trader }, 3n * SOL);
    const { claimable } = (await feesOf(token)).liquidityPool;
    expect(await sendClaim(launchpad, agent, token.ref)).toMatchObject({
      paid: claimable,
      instructions: 5,
    });
    const total = before + claimable;
    const after = { claimable: 0n, claimed: total, total };
    expect((await feesOf(token)).liquidityPool).toEqual(after);
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
