import { describe, expect, test } from "bun:test";

import { ComputeBudgetProgram, Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { CrashPoint } from "../crash-point.ts";
import { InsufficientSolError, LaunchRefusedError, SignatureNeededError } from "../errors.ts";
import type { UnsignedLaunch } from "../launchpad.ts";
import { Journal } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

function scene(lamports = SOL, crashPoint: CrashPoint = async () => {}) {
  const made = testLaunchpad({ funds: 0n, payers: ["agent"], isWalletless: true, crashPoint });
  const agent = Keypair.generate();
  if (lamports > 0n) made.chain.airdrop(agent.publicKey, lamports);
  const launch: LaunchOrder = {
    ...order(),
    wallet: agent.publicKey.toBase58(),
    payer: "agent",
  };
  const journal = new Journal();
  return {
    ...made,
    agent,
    launch,
    journal,
    deploy: (agentSigned: Uint8Array | null) =>
      made.launchpad.deploy({ ...launch, agentSigned }, journal, never),
  };
}

function signedBy(
  agent: Keypair,
  { transaction }: Pick<UnsignedLaunch, "transaction">,
  change = (_: Transaction) => {},
): Uint8Array {
  const signed = Transaction.from(transaction);
  change(signed);
  signed.partialSign(agent);
  return signed.serialize({ requireAllSignatures: false });
}

test("a service without a launch wallet works, and ends what it was to pay for unless that has landed", async () => {
  const paid = testLaunchpad();
  const { launchpad } = testLaunchpad({ payers: ["agent"], isWalletless: true });
  expect(await launchpad.probe()).toMatchObject({ ok: true, problem: null, walletLamports: null });
  expect(launchpad.dayBudget()).toBeNull();
  const refused = launchpad.deploy(order(), new Journal(), never);
  await expect(refused).rejects.toBeInstanceOf(LaunchRefusedError);

  const launch = order();
  const journal = new Journal();
  const token = await paid.launchpad.deploy(launch, journal, never);
  expect(await paid.restart(null).deploy(launch, journal, never)).toEqual(token);
});

test.each([
  [["operator"], false],
  [["operator", "agent"], true],
  [["agent"], true],
] as const)("if %p pay, an empty wallet leaves the service usable: %p", async (payers, ok) => {
  const { launchpad } = testLaunchpad({ funds: 0n, limits: { minWalletLamports: SOL }, payers });
  const found = await launchpad.probe();
  expect(found.ok).toBe(ok);
  const needs = payers[0] === "agent" ? "needs 1 SOL to sponsor claims" : "needs 1 SOL to launch";
  expect(found.problem ?? found.warning).toContain(needs);
});

describe("a launch that its agent pays for", () => {
  test("takes from the agent what its cost says, and from the launch wallet nothing", async () => {
    const { launchpad, chain, agent, launch, deploy, wallet } = scene();
    const unsigned = await launchpad.buildLaunch(launch);
    const before = chain.getBalance(agent.publicKey);
    expect(await deploy(signedBy(agent, unsigned))).toEqual(unsigned.token);
    const { rent, networkFee, creationFee, firstBuy } = unsigned.cost;
    expect(before - chain.getBalance(agent.publicKey)).toBe(
      rent + networkFee + creationFee + firstBuy,
    );
    expect(chain.getBalance(wallet.publicKey)).toBe(0n);
  });

  test("buys for the agent in the same transaction", async () => {
    const { launchpad, agent, launch, journal } = scene();
    const withBuy = { ...launch, firstBuy: { lamports: SOL / 2n, minUnits: 1n } };
    const unsigned = await launchpad.buildLaunch(withBuy);
    expect(unsigned.cost.firstBuy).toBe(SOL / 2n);
    const agentSigned = signedBy(agent, unsigned);
    await launchpad.deploy({ ...withBuy, agentSigned }, journal, never);
    expect(journal.attempts).toHaveLength(1);
  });

  test("is not built for a wallet that cannot pay, and says what it needs", async () => {
    const { launchpad, launch } = scene(1_000_000n);
    const building = launchpad.buildLaunch(launch);
    await expect(building).rejects.toBeInstanceOf(InsufficientSolError);
    await expect(building).rejects.toMatchObject({ balance: 1_000_000n });
  });

  test("asks for a signature without one, and signs nothing", async () => {
    const { deploy, journal } = scene();
    await expect(deploy(null)).rejects.toBeInstanceOf(SignatureNeededError);
    expect(journal.attempts).toEqual([]);
  });

  test("is refused before the mint signs if the wallet was emptied", async () => {
    const { launchpad, chain, agent, launch, deploy, journal } = scene();
    const signed = signedBy(agent, await launchpad.buildLaunch(launch));
    chain.setAccount(agent.publicKey, { lamports: 1_000_000n, owner: SystemProgram.programId });
    await expect(deploy(signed)).rejects.toMatchObject({
      ...{ code: "launch_refused", agentLamports: 0n },
    });
    expect(journal.attempts).toEqual([]);
  });

  test("that lands and fails says that the network has kept its fee, also if it is found out later", async () => {
    const emptied = scene(SOL, async (step) => {
      const lamports = 1_000_000n;
      if (step === "launch.stored")
        chain.setAccount(agent.publicKey, { lamports, owner: SystemProgram.programId });
    });
    const { launchpad, chain, agent, launch, deploy, journal } = emptied;
    const unsigned = await launchpad.buildLaunch(launch);
    const refusal = { code: "launch_refused", agentLamports: unsigned.cost.networkFee };
    await expect(deploy(signedBy(agent, unsigned))).rejects.toMatchObject(refusal);
    expect(chain.getBalance(agent.publicKey)).toBe(1_000_000n - unsigned.cost.networkFee);
    expect(journal.attempts).toHaveLength(1);
    await expect(deploy(null)).rejects.toMatchObject(refusal);
  });

  test("expires unsent and asks for another signature, once its blockhash is too old", async () => {
    const { launchpad, clock, agent, launch, deploy, journal } = scene();
    const signed = signedBy(agent, await launchpad.buildLaunch(launch));
    clock.advance(120_000);
    await expect(deploy(signed)).rejects.toBeInstanceOf(SignatureNeededError);
    expect(journal.attempts).toEqual([]);
    const again = signedBy(agent, await launchpad.buildLaunch(launch));
    await deploy(again);
    expect(journal.attempts).toHaveLength(1);
  });

  test("makes one token however often its agent signs", async () => {
    const { launchpad, chain, agent, launch, deploy } = scene();
    const [first, second] = [
      await launchpad.buildLaunch(launch),
      await launchpad.buildLaunch(launch),
    ];
    const token = await deploy(signedBy(agent, first));
    const after = chain.getBalance(agent.publicKey);
    expect(await deploy(signedBy(agent, second))).toEqual(token);
    expect(chain.getBalance(agent.publicKey)).toBe(after);
  });

  test("fails with too low a limit of compute units, which is no trouble of the cluster", async () => {
    const { launchpad, agent, launch, deploy, journal } = scene();
    const low = ComputeBudgetProgram.setComputeUnitLimit({ units: 1 });
    const signed = signedBy(agent, await launchpad.buildLaunch(launch), (read) => {
      read.instructions[0] = low;
    });
    expect(await launchpad.acceptLaunch(launch, signed)).toBe(true);
    await expect(deploy(signed)).rejects.toBeInstanceOf(LaunchRefusedError);
    expect(journal.attempts).toEqual([]);
  });

  test("is signed again if it is built in another way since", async () => {
    const { launchpad, agent, launch, journal } = scene();
    const agentSigned = signedBy(agent, await launchpad.buildLaunch(launch));
    const other = { ...launch, agentSigned, firstBuy: { lamports: 1n, minUnits: 0n } };
    const deploying = launchpad.deploy(other, journal, never);
    await expect(deploying).rejects.toBeInstanceOf(SignatureNeededError);
    expect(journal.attempts).toEqual([]);
  });

  test("takes at most one request more than a launch that the operator pays for", async () => {
    const operator = testLaunchpad();
    const ofOperator = () => operator.launchpad.deploy(order(), new Journal(), never);
    // The first one reads more.
    await ofOperator();
    operator.rpc.calls.length = 0;
    await ofOperator();
    const most = operator.rpc.calls.length + 1;
    const { launchpad, rpc, agent, launch, deploy } = scene();
    await launchpad.buildLaunch(launch);
    rpc.calls.length = 0;
    const signed = signedBy(agent, await launchpad.buildLaunch(launch));
    await launchpad.acceptLaunch(launch, signed);
    await deploy(signed);
    expect(rpc.calls.length).toBeLessThanOrEqual(most);
  });

  test("that has landed is found even if the database has forgotten its attempt", async () => {
    const { launchpad, clock, agent, launch, deploy } = scene();
    const signed = signedBy(agent, await launchpad.buildLaunch(launch));
    const token = await deploy(signed);
    const again = (agentSigned: Uint8Array | null) =>
      launchpad.deploy({ ...launch, agentSigned }, new Journal(), never);
    expect(await again(signed)).toEqual(token);
    clock.advance(120_000);
    expect(await again(signed)).toEqual(token);
    expect(await again(null)).toEqual(token);
  });

  test("counts as expired only once no node can take it, even if one was behind", async () => {
    const { launchpad, rpc, agent, launch, deploy, journal } = scene();
    const unsigned = await launchpad.buildLaunch(launch);
    rpc.rewrite("getEpochInfo", (answer) => {
      answer.result.absoluteSlot -= 40;
      answer.result.blockHeight -= 40;
      return answer;
    });
    await deploy(signedBy(agent, unsigned));
    expect(journal.attempts[0]?.lastValidBlockHeight).toBeGreaterThanOrEqual(
      unsigned.lastValidBlockHeight,
    );
  });
});
