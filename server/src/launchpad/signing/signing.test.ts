import { describe, expect, test } from "bun:test";
import { ComputeBudgetProgram, Transaction } from "@solana/web3.js";
import type { Signed } from "../../domain/signing.ts";
import { type Answer, FAULTS } from "../../solana/testing/faulty-rpc.ts";
import { sentBefore } from "../chain/testing/journal.ts";
import { insist, never, SOL } from "../chain/testing/test-launchpad.ts";
import { FEE, tokenWithFees } from "../chain/testing/token-with-fees.ts";
import { ChainUnavailableError, ExpiredError, FeesTakenError, RefusedError } from "../errors.ts";
import { signBy, stepTwo } from "./testing/steps.ts";

describe("submitSigned", () => {
  test("returns what the vaults paid, to the lamport", async () => {
    const { launchpad, chain, agent, token, build, rpc } = await tokenWithFees();
    const claim = signBy(agent, await build());
    rpc.calls.length = 0;
    const confirmed = await stepTwo(launchpad, claim);
    expect(confirmed).toEqual({
      signature: claim.signature,
      paidLamports: FEE,
      payouts: [{ tokenMint: token.tokenMint, bondingCurve: FEE, liquidityPool: 0n }],
    });
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
    // It was never sent, so nothing is looked up before that.
    expect(rpc.calls).toEqual([
      ...["simulateTransaction", "sendTransaction", "getSignatureStatuses", "getTransaction"],
    ]);
  });

  test("returns the first answer and sends nothing if the claim has landed", async () => {
    const { launchpad, restart, clock, agent, build, rpc } = await tokenWithFees();
    const claim = signBy(agent, await build());
    const first = await stepTwo(launchpad, claim);
    clock.advance(10 * 60_000);
    rpc.calls.length = 0;
    expect(await restart().submit(claim, sentBefore(claim), never)).toEqual(first);
    expect(rpc.count("sendTransaction")).toBe(0);
  });

  test("claims equal fees twice within one slot", async () => {
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    const { launchpad, sandbox, chain, agent, token, build } = await tokenWithFees({
      confirmer: { pause },
    });
    const slot = chain.slot();
    const one = await stepTwo(launchpad, signBy(agent, await build()));
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    const two = await stepTwo(launchpad, signBy(agent, await build()));
    expect(chain.slot()).toBe(slot);
    expect(two.paidLamports).toBe(one.paidLamports);
    expect(two.signature).not.toBe(one.signature);
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + 2n * (FEE - 5_000n));
  });

  test("finds a landed claim whose status the node forgot", async () => {
    const { launchpad, restart, clock, agent, build, rpc } = await tokenWithFees();
    const claim = signBy(agent, await build());
    const resumed = () => restart().submit(claim, sentBefore(claim), never);
    const first = await stepTwo(launchpad, claim);
    clock.advance(10 * 60_000);
    rpc.rewrite("getSignatureStatuses", (answer) => {
      answer.result.value = answer.result.value.map(() => null);
      return answer;
    });
    expect(await resumed()).toEqual(first);
    // A second node is behind: it has no transaction, and does not report that.
    rpc.rewrite("getTransaction", (answer) => ({ ...answer, result: null }));
    await expect(resumed()).rejects.toThrow("lists the transaction, but does not return it");
    // A node that is further behind does not list it, but reports that it cannot know.
    rpc.rewrite("getSignaturesForAddress", (answer, params) => {
      if (!JSON.stringify(params).includes("minContextSlot")) return { ...answer, result: [] };
      const error = { code: -32016, message: "Minimum context slot has not been reached" };
      return { jsonrpc: "2.0", id: 1, error } as Answer;
    });
    for (const ask of [resumed, () => launchpad.finalOutcome(claim)]) {
      await expect(ask()).rejects.toBeInstanceOf(ChainUnavailableError);
    }
  });

  test.each([
    ...FAULTS.map((fault) => ["sendTransaction", fault] as const),
    ...["getSignatureStatuses", "getEpochInfo", "getTransaction"].map(
      (method) => [method, "answer lost"] as const,
    ),
  ])("pays once and the right amount if %s meets %s", async (method, fault) => {
    const { launchpad, restart, chain, agent, build, rpc } = await tokenWithFees();
    const claim = signBy(agent, await build());
    rpc.spoilNext(method, fault, 3);
    const { value, errors } = await insist(() => stepTwo(restart(), claim));
    for (const error of errors) expect(error).toBeInstanceOf(ChainUnavailableError);
    expect(value.paidLamports).toBe(FEE);
    expect(await stepTwo(launchpad, claim)).toEqual(value);
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
  });

  test("waits for a transaction that cannot be read yet", async () => {
    const { launchpad, agent, build, rpc } = await tokenWithFees();
    const claim = signBy(agent, await build());
    let reads = 0;
    rpc.rewrite("getTransaction", (answer) => {
      reads += 1;
      return reads < 4 ? { ...answer, result: null } : answer;
    });
    expect((await stepTwo(launchpad, claim)).paidLamports).toBe(FEE);
    expect(reads).toBe(4);
  });

  test("sends nothing after a stop", async () => {
    const { launchpad, agent, build, rpc } = await tokenWithFees();
    const claim = signBy(agent, await build());
    const stopped = stepTwo(launchpad, claim, { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toBeInstanceOf(ChainUnavailableError);
    expect(rpc.count("sendTransaction")).toBe(0);
  });

  describe("of a claim that failed on chain", () => {
    /** A claim that was sent without preflight after another one took the fees. */
    async function failedOnChain() {
      const made = await tokenWithFees();
      const { launchpad, chain, agent, build } = made;
      const [first, second] = [await build(), await build()];
      const claim = signBy(agent, second);
      await stepTwo(launchpad, signBy(agent, first));
      chain.sendTransaction(claim.transaction, { skipPreflight: true });
      expect(chain.getTransaction(claim.signature)?.error).not.toBeNull();
      made.rpc.calls.length = 0;
      return { ...made, claim };
    }

    test("refuses it, and neither sends nor reads it again", async () => {
      const { launchpad, rpc, claim } = await failedOnChain();
      const submitted = launchpad.submit(claim, sentBefore(claim), never);
      await expect(submitted).rejects.toBeInstanceOf(RefusedError);
      // The token's accounts say why it failed.
      expect(rpc.calls).toEqual(["getSignatureStatuses", "getMultipleAccounts"]);
    });

    test("refuses it for good also if it failed by a lack of the cluster's", async () => {
      const { launchpad, rpc, claim } = await failedOnChain();
      rpc.rewrite("getSignatureStatuses", (answer) => {
        answer.result.value[0].err = "ProgramCacheHitMaxLimit";
        return answer;
      });
      const submitted = launchpad.submit(claim, sentBefore(claim), never);
      await expect(submitted).rejects.toBeInstanceOf(RefusedError);
    });

    test("refuses it even if the node forgot its status", async () => {
      const { launchpad, rpc, clock, claim } = await failedOnChain();
      clock.advance(10 * 60_000);
      rpc.rewrite("getSignatureStatuses", (answer) => {
        answer.result.value = answer.result.value.map(() => null);
        return answer;
      });
      const submitted = launchpad.submit(claim, sentBefore(claim), never);
      await expect(submitted).rejects.toBeInstanceOf(RefusedError);
    });
  });

  test("does not wait, once it is stopped, for a transaction that cannot be read yet", async () => {
    const { launchpad, restart, agent, build, rpc } = await tokenWithFees();
    const claim = signBy(agent, await build());
    const stop = new AbortController();
    rpc.rewrite("getTransaction", (answer) => {
      stop.abort();
      return { ...answer, result: null };
    });
    await expect(stepTwo(launchpad, claim, { signal: stop.signal })).rejects.toThrow("stopping");
    expect(rpc.count("getTransaction")).toBe(1);
    rpc.calm();
    const resumed = restart().submit(claim, sentBefore(claim), never);
    expect((await resumed).paidLamports).toBe(FEE);
  });
});

/** A claim whose fees another claim took after it was signed. */
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
