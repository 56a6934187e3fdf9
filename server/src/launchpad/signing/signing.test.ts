import { describe, expect, test } from "bun:test";
import {
  createAssociatedTokenAccountInstruction,
  createSyncNativeInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import { SystemProgram, Transaction } from "@solana/web3.js";
import { type Answer, FAULTS } from "../chain/testing/hostile-rpc.ts";
import { sentBefore } from "../chain/testing/journal.ts";
import { insist, never, SOL } from "../chain/testing/test-launchpad.ts";
import { FEE, tokenWithFees } from "../chain/testing/token-with-fees.ts";
import { ChainUnavailableError, RefusedError } from "../errors.ts";
import { readable } from "../testing/readable.ts";
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

  test("does not count wrapped SOL that the agent had before", async () => {
    const { launchpad, chain, agent, build } = await tokenWithFees();
    const { publicKey } = agent;
    const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);
    const wrap = new Transaction({ feePayer: publicKey, ...chain.latestBlockhash() }).add(
      createAssociatedTokenAccountInstruction(publicKey, wrapped, publicKey, NATIVE_MINT),
      SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: wrapped, lamports: SOL / 2n }),
      createSyncNativeInstruction(wrapped),
    );
    wrap.sign(agent);
    chain.sendTransaction(wrap.serialize());
    const claim = signBy(agent, await build());
    expect((await stepTwo(launchpad, claim)).paidLamports).toBe(FEE);
    expect(chain.getBalance(publicKey)).toBe(SOL + FEE - 2n * 5_000n);
  });

  test("takes both kinds of fees in one transaction", async () => {
    const { launchpad, sandbox, agent, wallet, token, build } = await tokenWithFees();
    await sandbox.graduate(token);
    await sandbox.trade({ ...token, side: "buy", lamports: 2n * SOL });
    const [fees] = readable(await launchpad.readFees(wallet, [token]));
    expect(fees?.isMigrated).toBe(true);
    expect(fees?.liquidityPool.claimable).toBe(2n * FEE);
    const claimable = (fees?.bondingCurve.claimable ?? 0n) + (fees?.liquidityPool.claimable ?? 0n);
    const claim = signBy(agent, await build());
    expect(await stepTwo(launchpad, claim)).toMatchObject({
      paidLamports: claimable,
      payouts: [
        {
          bondingCurve: fees?.bondingCurve.claimable,
          liquidityPool: fees?.liquidityPool.claimable,
        },
      ],
    });
    const [after] = readable(await launchpad.readFees(wallet, [token]));
    expect(after?.bondingCurve).toMatchObject({ claimable: 0n, claimed: fees?.bondingCurve.total });
    expect(after?.liquidityPool).toEqual({ claimable: 0n, claimed: 2n * FEE, total: 2n * FEE });
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
    // A second node is behind: it has no transaction, and does not say that it cannot know.
    rpc.rewrite("getTransaction", (answer) => ({ ...answer, result: null }));
    await expect(resumed()).rejects.toThrow("lists the transaction, but does not return it");
    // One that is further behind does not list it, but says that it cannot know.
    rpc.rewrite("getSignaturesForAddress", (answer, params) => {
      if (!JSON.stringify(params).includes("minContextSlot")) return { ...answer, result: [] };
      const error = { code: -32016, message: "Minimum context slot has not been reached" };
      return { jsonrpc: "2.0", id: 1, error } as Answer;
    });
    for (const ask of [resumed, () => launchpad.finalOutcome(claim)]) {
      await expect(ask()).rejects.toBeInstanceOf(ChainUnavailableError);
    }
  });

  for (const fault of FAULTS) {
    for (const method of [
      "sendTransaction",
      "getSignatureStatuses",
      "getEpochInfo",
      "getTransaction",
    ]) {
      test(`pays once and the right amount with ${fault} at ${method}`, async () => {
        const { launchpad, restart, chain, agent, build, rpc } = await tokenWithFees();
        const claim = signBy(agent, await build());
        rpc.spoilNext(method, fault, 3);
        const { value, errors } = await insist(() => stepTwo(restart(), claim));
        for (const error of errors) expect(error).toBeInstanceOf(ChainUnavailableError);
        expect(value.paidLamports).toBe(FEE);
        expect(await stepTwo(launchpad, claim)).toEqual(value);
        expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
      });
    }
  }

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
    /** Another claim took the fees, and it was sent without preflight. */
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
