import { expect, test } from "bun:test";
import { AccountLayout, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import { Journal } from "../chain/testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "../chain/testing/test-launchpad.ts";
import { tokenWithFees } from "../chain/testing/token-with-fees.ts";
import { CreatorChangedError } from "../errors.ts";
import { signBy, stepTwo } from "../signing/testing/steps.ts";
import { readable } from "../testing/readable.ts";
import { decodeTokenAccount, poolAccounts } from "./accounts.ts";

const U64_MAX = 0xffff_ffff_ffff_ffffn;

test("a launch fits into one transaction with three signatures", async () => {
  const { launchpad } = testLaunchpad();
  const journal = new Journal();
  await launchpad.deploy(order(), journal, never);
  const bytes = journal.latest?.transaction ?? new Uint8Array();
  expect(bytes.length).toBeLessThan(1_100);
  expect(Transaction.from(bytes).signatures).toHaveLength(3);
});

test("addresses depend on the event alone", () => {
  const one = testLaunchpad().program;
  const other = testLaunchpad().program;
  const { eventId } = order();
  expect(one.addresses(eventId)).toEqual(other.addresses(eventId));
  expect(one.addresses(eventId)).not.toEqual(one.addresses(order().eventId));
});

test("only the agent can take the fees, from the first slot on", async () => {
  const { launchpad, chain } = testLaunchpad();
  const agent = Keypair.generate().publicKey;
  const token = await launchpad.deploy(order(agent.toBase58()), new Journal(), never);
  const { curveFeeVault, pool } = poolAccounts(token);
  const vault = decodeTokenAccount(chain.getAccount(curveFeeVault));
  expect(vault).toMatchObject({ delegatedAmount: U64_MAX, amount: 0n, closeAuthority: null });
  expect(vault?.delegate).toBe(agent.toBase58());
  expect(vault?.owner).toBe(pool.toBase58());
});

test("a hand-over gives a pool's fees to another wallet, and takes the right to them from the agent", async () => {
  const newCreator = Keypair.generate();
  for (const isMigrated of [false, true]) {
    const { launchpad, sandbox, chain, agent, wallet, token, build } = await tokenWithFees();
    await stepTwo(launchpad, signBy(agent, await build()));
    if (isMigrated) await sandbox.graduate(token);
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    const late = signBy(agent, await build());
    const order = { agent: wallet, token, to: newCreator.publicKey.toBase58() };
    const unsigned = await launchpad.buildHandOver(order);
    expect(unsigned.rent).toBe(0n);
    const signed = signBy(agent, unsigned, { kind: "hand_over", tokens: [token] });
    const before = await launchpad.readFees(wallet, [token]);
    await stepTwo(launchpad, signed);

    const claiming = stepTwo(launchpad, late);
    await expect(claiming).rejects.toBeInstanceOf(CreatorChangedError);
    await expect(build()).rejects.toBeInstanceOf(CreatorChangedError);
    await expect(launchpad.buildHandOver(order)).rejects.toBeInstanceOf(CreatorChangedError);
    expect(await launchpad.readFees(order.to, [token])).toEqual(before);
    expect(await launchpad.readPools([{ ...token, wallet }])).toEqual([
      { isMigrated, creator: order.to, claimable: 0n, market: expect.anything() },
    ]);
    // A trade goes on, and a pool that migrates later knows its new creator.
    if (!isMigrated) await sandbox.graduate(token);
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    chain.airdrop(newCreator.publicKey, SOL);
    const taken = await launchpad.buildClaim(order.to, [token]);
    if (!taken) throw new Error("there is something to claim");
    const balance = chain.getBalance(newCreator.publicKey);
    const { paidLamports } = await stepTwo(launchpad, signBy(newCreator, taken));
    expect(chain.getBalance(newCreator.publicKey) - balance).toBe(paidLamports - 5_000n);
  }
});

test("fees of many tokens are returned in the order asked for", async () => {
  const { launchpad, sandbox, rpc } = testLaunchpad();
  const wallet = Keypair.generate().publicKey.toBase58();
  const tokens = await Promise.all(
    Array.from({ length: 4 }, () => launchpad.deploy(order(wallet), new Journal(), never)),
  );
  for (const [index, token] of tokens.entries()) {
    await sandbox.trade({ ...token, side: "buy", lamports: SOL * BigInt(index + 1) });
  }
  rpc.calls.length = 0;
  const fees = readable(await launchpad.readFees(wallet, tokens.toReversed()));
  expect(fees.map(({ bondingCurve }) => bondingCurve.total)).toEqual(
    [4n, 3n, 2n, 1n].map((sol) => (sol * SOL) / 100n),
  );
  expect(rpc.calls).toEqual(["getMultipleAccounts"]);
  expect(await launchpad.readFees(wallet, [])).toEqual([]);
  expect(rpc.calls).toHaveLength(1);
});

test("an account that is cut short, longer or foreign is no token account", () => {
  const owner = TOKEN_PROGRAM_ID;
  // Byte 108 says that it is initialized.
  const whole = Buffer.alloc(2 * AccountLayout.span).fill(1, 108, 109);
  const bytes = (length: number) => ({ owner, data: whole.subarray(0, length) });
  expect(decodeTokenAccount(bytes(AccountLayout.span))?.amount).toBe(0n);
  for (let length = 0; length < AccountLayout.span; length++) {
    expect(decodeTokenAccount(bytes(length))).toBeNull();
  }
  expect(decodeTokenAccount(bytes(AccountLayout.span + 1))).toBeNull();
  const foreign = { owner: SystemProgram.programId, data: Buffer.alloc(AccountLayout.span) };
  expect(decodeTokenAccount(foreign)).toBeNull();
  expect(decodeTokenAccount(null)).toBeNull();
});
