import { describe, expect, test } from "bun:test";
import { ComputeBudgetProgram, Transaction } from "@solana/web3.js";
import { signGuarded } from "../../../../test/support/assertions.ts";
import type { Signed } from "../../domain/signing.ts";
import type { Answer } from "../chain/testing/hostile-rpc.ts";
import { tokenWithFees } from "../chain/testing/token-with-fees.ts";
import { ChainUnavailableError, ExpiredError, FeesTakenError, RefusedError } from "../errors.ts";
import { signBy, stepTwo } from "./testing/steps.ts";

/** A claim whose fees another one took since it was signed. */
async function overtaken() {
  const made = await tokenWithFees();
  const { launchpad, agent, build } = made;
  const [first, second] = [await build(), await build()];
  await stepTwo(launchpad, signBy(agent, first));
  made.rpc.calls.length = 0;
  return { ...made, claim: signBy(agent, second) };
}

async function signed() {
  const made = await tokenWithFees();
  const claim = signBy(made.agent, await made.build());
  made.rpc.calls.length = 0;
  const check = (one: Signed = claim, signature: string | null = one.signature) =>
    made.launchpad.check(one, signature);
  return { ...made, claim, check };
}

const failing = (answer: Answer, err: unknown, slot = answer.result.context.slot): Answer => ({
  ...answer,
  result: { context: { slot }, value: { err, logs: [], unitsConsumed: 1 } },
});

describe("checkSigned", () => {
  test("takes one request for what would succeed", async () => {
    const { check, rpc } = await signed();
    await check();
    expect(rpc.calls).toEqual(["simulateTransaction"]);
  });

  test("refuses a claim whose fees another claim took, and sends nothing", async () => {
    const { launchpad, claim, rpc, chain } = await overtaken();
    await expect(stepTwo(launchpad, claim)).rejects.toBeInstanceOf(FeesTakenError);
    expect(rpc.count("simulateTransaction")).toBe(2);
    expect(rpc.count("sendTransaction")).toBe(0);
    expect(chain.getTransaction(claim.signature)).toBeNull();
  });

  test("names an assertion of the wallet that does not hold", async () => {
    const { check, agent, claim, rpc } = await signed();
    const transaction = signGuarded(claim.transaction, agent);
    const error = { InstructionError: [2, { Custom: 6400 }] };
    rpc.rewrite("simulateTransaction", (answer) => failing(answer, error));
    await expect(check({ ...claim, transaction })).rejects.toThrow(
      "an assertion that the wallet added does not hold (instruction 2: custom program error 6400)",
    );
  });

  test("believes no refusal that the same or a later state does not repeat", async () => {
    const { check, rpc } = await signed();
    const error = { InstructionError: [1, { Custom: 7 }] };
    let asked = 0;
    rpc.rewrite("simulateTransaction", (answer) =>
      asked++ === 0 ? failing(answer, error) : answer,
    );
    await expect(check()).rejects.toThrow("different answers about the claim");
    expect(asked).toBe(2);
    asked = 0;
    const params: unknown[] = [];
    rpc.rewrite("simulateTransaction", (answer, [, config]) => {
      params.push(config);
      const { slot } = answer.result.context;
      return failing(answer, error, slot - asked++);
    });
    await expect(check()).rejects.toThrow("is behind its cluster");
    expect(params[1]).toMatchObject({ minContextSlot: expect.any(Number) });
    rpc.rewrite("simulateTransaction", (answer) => failing(answer, error));
    await expect(check()).rejects.toBeInstanceOf(RefusedError);
  });

  test.each([true, false])(
    "lets pass what its agent has sent itself, whether it landed or failed: %p",
    async (hasLanded) => {
      const { launchpad, claim, chain } = hasLanded ? await signed() : await overtaken();
      chain.sendTransaction(claim.transaction, { skipPreflight: true });
      await launchpad.check(claim, claim.signature);
      const submitted = stepTwo(launchpad, claim).then(
        () => "landed",
        ({ name }) => name,
      );
      expect(await submitted).toBe(hasLanded ? "landed" : "FeesTakenError");
    },
  );

  test("reports what was signed too late as expired, under any name", async () => {
    const { check, clock, claim } = await signed();
    clock.advance(61_000);
    for (const name of [claim.signature, null]) {
      await expect(check(claim, name)).rejects.toBeInstanceOf(ExpiredError);
    }
  });

  test("decides nothing if a node does not know the blockhash yet", async () => {
    const { check, rpc } = await signed();
    rpc.rewrite("simulateTransaction", (answer) => failing(answer, "BlockhashNotFound"));
    await expect(check()).rejects.toThrow("is behind its cluster");
  });

  test("refuses bytes that a node does not simulate, and blames no node for them", async () => {
    const { launchpad, agent, claim, rpc, chain } = await signed();
    const doubled = Transaction.from(claim.transaction);
    doubled.instructions.push(ComputeBudgetProgram.setComputeUnitLimit({ units: 1 }));
    doubled.sign(agent);
    const bytes = { ...claim, transaction: doubled.serialize() };
    rpc.outcomes.length = 0;
    await expect(stepTwo(launchpad, bytes)).rejects.toBeInstanceOf(RefusedError);
    expect(rpc.count("sendTransaction")).toBe(0);
    expect(new Set(rpc.outcomes)).toEqual(new Set(["ok", "refused"]));
    expect(await launchpad.probe()).toMatchObject({ ok: true, problem: null });
    expect(chain.getTransaction(claim.signature)).toBeNull();
  });

  test("decides nothing while the cluster is busy", async () => {
    const { check, rpc } = await signed();
    rpc.rewrite("simulateTransaction", (answer) => failing(answer, "AccountInUse"));
    const checking = check();
    await expect(checking).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(checking).rejects.toThrow("cannot take the claim now (account in use)");
  });
});
