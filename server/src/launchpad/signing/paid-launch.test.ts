import { describe, expect, test } from "bun:test";
import { SystemProgram } from "@solana/web3.js";
import { generateKeypair } from "../../base/native-keys.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { Signed } from "../../domain/signing.ts";
import { Journal, sentBefore } from "../chain/testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "../chain/testing/test-launchpad.ts";
import type { CrashPoint } from "../crash-point.ts";
import {
  AlreadyLaunchedError,
  ExpiredError,
  FailedLaunchError,
  UnaffordableError,
} from "../errors.ts";
import { cosigned, signBy, stepTwo } from "./testing/steps.ts";

const POOR = 1_000_000n;

function scene(crashPoint: CrashPoint = async () => {}) {
  const made = testLaunchpad({ funds: 0n, payers: ["agent"], isWalletless: true, crashPoint });
  const { chain, launchpad } = made;
  const agent = generateKeypair();
  chain.airdrop(agent.publicKey, SOL);
  const launch: LaunchOrder = { ...order(agent.publicKey.toBase58()), payer: "agent" };
  return {
    ...made,
    agent,
    launch,
    balance: () => chain.getBalance(agent.publicKey),
    hold: (lamports: bigint) =>
      chain.setAccount(agent.publicKey, { lamports, owner: SystemProgram.programId }),
    async sign(about = launch) {
      const unsigned = await launchpad.buildLaunch(about);
      const what = { kind: "launch", tokens: [unsigned.token], order: about } as const;
      return { unsigned, signed: signBy(agent, unsigned, what) };
    },
  };
}

describe("a launch that its agent pays for", () => {
  test("takes from the agent what its cost says, and from the launch wallet nothing", async () => {
    const { launchpad, chain, rpc, balance, sign, wallet, mints } = scene();
    const { unsigned, signed } = await sign();
    const before = balance();
    rpc.calls.length = 0;
    await stepTwo(launchpad, signed);
    expect(rpc.calls).toEqual(["simulateTransaction", "sendTransaction", "getSignatureStatuses"]);
    expect(mints()).toBe(1);
    const { rent, networkFee, creationFee, firstBuy } = unsigned.cost;
    expect(before - balance()).toBe(rent + networkFee + creationFee + firstBuy);
    expect(chain.getBalance(wallet.publicKey)).toBe(0n);
  });

  test("buys for the agent in the same transaction", async () => {
    const { launchpad, launch, balance, sign } = scene();
    const firstBuy = { lamports: SOL / 2n, minUnits: 1n };
    const { unsigned, signed } = await sign({ ...launch, firstBuy });
    expect(unsigned.cost.firstBuy).toBe(SOL / 2n);
    await stepTwo(launchpad, signed);
    expect(balance()).toBeLessThan(SOL / 2n);
  });

  test("is not built for a wallet that cannot pay, and the check says so before", async () => {
    const { launchpad, launch, hold } = scene();
    const { required, refusal } = await launchpad.checkLaunch(launch);
    expect(refusal).toBeNull();
    hold(required - 1n);
    expect(await launchpad.checkLaunch(launch)).toMatchObject({
      ...{ required, balance: required - 1n, refusal: expect.any(UnaffordableError) },
    });
    hold(POOR);
    const building = launchpad.buildLaunch(launch);
    await expect(building).rejects.toBeInstanceOf(UnaffordableError);
    await expect(building).rejects.toMatchObject({ kind: "launch", balance: POOR });
  });

  test("gets no signature of its mint, and is not stored, if the wallet was emptied", async () => {
    const { launchpad, hold, sign } = scene();
    const { signed } = await sign();
    hold(POOR);
    const journal = new Journal();
    await expect(stepTwo(launchpad, signed, { journal })).rejects.toMatchObject({
      ...{ name: "UnaffordableError", kind: "launch", balance: POOR },
    });
    expect(journal.attempts).toEqual([]);
  });

  test("that lands and fails says that the network has kept its fee, also if it is found out later", async () => {
    const { launchpad, balance, hold, sign } = scene(async (step) => {
      if (step === "launch.stored") hold(POOR);
    });
    const { unsigned, signed } = await sign();
    const { networkFee: agentLamports } = unsigned.cost;
    const failed = stepTwo(launchpad, signed);
    await expect(failed).rejects.toBeInstanceOf(FailedLaunchError);
    await expect(failed).rejects.toMatchObject({ agentLamports });
    expect(balance()).toBe(POOR - agentLamports);
    const sent = await cosigned(launchpad, signed);
    const found = launchpad.submit(sent, sentBefore(sent), never);
    await expect(found).rejects.toMatchObject({ agentLamports });
  });

  test("expires once its blockhash is too old, sent or not, and can be signed again", async () => {
    const { launchpad, clock, rpc, sign, mints } = scene();
    const { signed } = await sign();
    rpc.spoil((method) => (method === "sendTransaction" ? "request lost" : null));
    await expect(stepTwo(launchpad, signed)).rejects.toBeInstanceOf(ExpiredError);
    clock.advance(120_000);
    await expect(stepTwo(launchpad, signed)).rejects.toBeInstanceOf(ExpiredError);
    rpc.calm();
    await stepTwo(launchpad, (await sign()).signed);
    expect(mints()).toBe(1);
  });

  test("makes one token however often its agent signs, which is found though the database forgot it", async () => {
    const { launchpad, launch, clock, balance, sign, mints } = scene();
    const [first, second] = [await sign(), await sign()];
    expect(await launchpad.findLaunched(launch)).toBeNull();
    await stepTwo(launchpad, first.signed);
    const after = balance();
    expect(await launchpad.findLaunched(launch)).toEqual(first.unsigned.token);
    const again = stepTwo(launchpad, second.signed);
    await expect(again).rejects.toBeInstanceOf(AlreadyLaunchedError);
    await expect(again).rejects.toMatchObject({ token: first.unsigned.token });
    // The same bytes are the same transaction.
    await stepTwo(launchpad, first.signed);
    await expect(launchpad.buildLaunch(launch)).rejects.toBeInstanceOf(AlreadyLaunchedError);
    expect((await launchpad.checkLaunch(launch)).refusal).toBeInstanceOf(AlreadyLaunchedError);
    // A transaction that was stored and has expired.
    clock.advance(120_000);
    const stored = await cosigned(launchpad, second.signed);
    await launchpad.submit(stored, sentBefore(stored), never);
    expect([mints(), balance()]).toEqual([1, after]);
  });

  test("ends if its mint is on chain under another config, signed, stored or expired", async () => {
    const { launchpad, clock, balance, sign } = scene();
    const [first, second] = [await sign(), await sign()];
    await stepTwo(launchpad, first.signed);
    const after = balance();
    // A restored database derives its pool from the config that the server has now.
    const poolAddress = generateKeypair().publicKey.toBase58();
    const tokens = [{ ...first.unsigned.token, poolAddress }];
    const signed = { ...second.signed, tokens };
    await expect(stepTwo(launchpad, signed)).rejects.toMatchObject({
      ...{ name: "RefusedError", message: expect.stringContaining("a config other than") },
    });
    clock.advance(120_000);
    const stored = await cosigned(launchpad, signed);
    await expect(launchpad.submit(stored, sentBefore(stored), never)).rejects.toMatchObject({
      ...{ name: "FailedLaunchError", message: expect.stringContaining("a config other than") },
      agentLamports: 0n,
    });
    expect(balance()).toBe(after);
  });

  test("gets the signature of its own mint alone", async () => {
    const { launchpad, sign } = scene();
    const { signed } = await sign();
    const other: Signed = { ...signed, order: order() };
    await expect(launchpad.cosign(other)).rejects.toBeInstanceOf(ExpiredError);
  });
});
