import { describe, expect, test } from "bun:test";
import {
  createAssociatedTokenAccountInstruction,
  createSyncNativeInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import { SystemProgram, Transaction } from "@solana/web3.js";
import { signGuarded } from "../../../../test/support/assertions.ts";
import type { CrashPointName } from "../crash-point.ts";
import { ChainUnavailableError, ClaimExpiredError, ClaimRefusedError } from "../errors.ts";
import { readable } from "../testing/readable.ts";
import { type Answer, FAULTS } from "./testing/hostile-rpc.ts";
import { sentBefore, unsent } from "./testing/journal.ts";
import { insist, never, SOL, signClaim } from "./testing/test-launchpad.ts";
import { FEE, tokenWithFees } from "./testing/token-with-fees.ts";

describe("submitClaim", () => {
  test("returns what the vaults paid, to the lamport", async () => {
    const { launchpad, chain, agent, token, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    rpc.calls.length = 0;
    const confirmed = await launchpad.submitClaim(claim, unsent, never);
    expect(confirmed).toEqual({
      signature: claim.signature,
      paidLamports: FEE,
      payouts: [{ tokenMint: token.tokenMint, bondingCurve: FEE, liquidityPool: 0n }],
    });
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
    // It was never sent, so nothing is looked up before that.
    expect(rpc.calls).toEqual(["sendTransaction", "getSignatureStatuses", "getTransaction"]);
  });

  test("does not count wrapped SOL that the agent had before", async () => {
    const { launchpad, chain, agent, token, build } = await tokenWithFees();
    const { publicKey } = agent;
    const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);
    const wrap = new Transaction({ feePayer: publicKey, ...chain.latestBlockhash() }).add(
      createAssociatedTokenAccountInstruction(publicKey, wrapped, publicKey, NATIVE_MINT),
      SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: wrapped, lamports: SOL / 2n }),
      createSyncNativeInstruction(wrapped),
    );
    wrap.sign(agent);
    chain.sendTransaction(wrap.serialize());
    const claim = signClaim(await build(), agent, token);
    expect((await launchpad.submitClaim(claim, unsent, never)).paidLamports).toBe(FEE);
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
    const claim = signClaim(await build(), agent, token);
    expect(await launchpad.submitClaim(claim, unsent, never)).toMatchObject({
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
    const { launchpad, restart, clock, agent, token, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const first = await launchpad.submitClaim(claim, unsent, never);
    clock.advance(10 * 60_000);
    rpc.calls.length = 0;
    expect(await restart().submitClaim(claim, sentBefore(claim), never)).toEqual(first);
    expect(rpc.count("sendTransaction")).toBe(0);
  });

  test("lands a claim once that is submitted twice at once", async () => {
    const { launchpad, restart, chain, agent, token, build } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const [one, other] = await Promise.all([
      launchpad.submitClaim(claim, unsent, never),
      restart().submitClaim(claim, unsent, never),
    ]);
    expect(one).toEqual(other);
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
  });

  test("claims equal fees twice within one slot", async () => {
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    const { launchpad, sandbox, chain, agent, token, build } = await tokenWithFees({
      confirmer: { pause },
    });
    const slot = chain.slot();
    const one = await launchpad.submitClaim(signClaim(await build(), agent, token), unsent, never);
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    const two = await launchpad.submitClaim(signClaim(await build(), agent, token), unsent, never);
    expect(chain.slot()).toBe(slot);
    expect(two.paidLamports).toBe(one.paidLamports);
    expect(two.signature).not.toBe(one.signature);
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + 2n * (FEE - 5_000n));
  });

  test("refuses a claim whose fees another claim took", async () => {
    const { launchpad, agent, token, build } = await tokenWithFees();
    const [one, other] = [await build(), await build()];
    await launchpad.submitClaim(signClaim(one, agent, token), unsent, never);
    const second = launchpad.submitClaim(signClaim(other, agent, token), unsent, never);
    await expect(second).rejects.toBeInstanceOf(ClaimRefusedError);
    await expect(second).rejects.toThrow("Another claim of this wallet has taken these fees");
  });

  test("refuses a claim without the agent's signature", async () => {
    const { launchpad, token, agent, build } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    claim.transaction[5] = (claim.transaction[5] ?? 0) ^ 1;
    const submitted = launchpad.submitClaim(claim, unsent, never);
    await expect(submitted).rejects.toThrow("a signature does not verify");
  });

  test("names an assertion of the wallet that did not hold", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const transaction = signGuarded(claim.transaction, agent);
    rpc.rewrite("sendTransaction", ({ result, ...answer }) => {
      const message =
        "Transaction simulation failed: Error processing Instruction 2: custom program error: 0x1900";
      return { ...answer, error: { code: -32002, message, data: { logs: [] } } };
    });
    const submitted = launchpad.submitClaim({ ...claim, transaction }, unsent, never);
    await expect(submitted).rejects.toBeInstanceOf(ClaimRefusedError);
    await expect(submitted).rejects.toThrow(
      "an assertion that the wallet added does not hold (instruction 2: custom program error 6400)",
    );
  });

  test("refuses a claim whose wallet was emptied since", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    rpc.rewrite("sendTransaction", ({ result, ...answer }) => {
      const logs = ["Transfer: insufficient lamports 1, need 2039280"];
      const message =
        "Transaction simulation failed: Error processing Instruction 1: custom program error: 0x1";
      return { ...answer, error: { code: -32002, message, data: { logs } } };
    });
    // The test's node has taken it after all.
    rpc.rewrite("getSignatureStatuses", (answer) => {
      answer.result.value = [null];
      return answer;
    });
    const submitted = launchpad.submitClaim(claim, unsent, never);
    await expect(submitted).rejects.toBeInstanceOf(ClaimRefusedError);
    await expect(submitted).rejects.toThrow("send SOL to it");
  });

  test("records a claim that its agent has sent, although a node then refuses it", async () => {
    const { launchpad, token, agent, build, rpc, chain } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    chain.sendTransaction(claim.transaction);
    rpc.rewrite("sendTransaction", ({ result, ...answer }) => {
      const message =
        "Transaction simulation failed: Error processing Instruction 1: custom program error: 0x1";
      return { ...answer, error: { code: -32002, message, data: { logs: [] } } };
    });
    expect((await launchpad.submitClaim(claim, unsent, never)).paidLamports).toBe(FEE);
  });

  test("reports a claim that was signed too late as expired", async () => {
    const { launchpad, clock, token, agent, build } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    clock.advance(61_000);
    await expect(launchpad.submitClaim(claim, unsent, never)).rejects.toBeInstanceOf(
      ClaimExpiredError,
    );
  });

  test("reports a claim that never arrived as expired", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    rpc.spoil((method) => (method === "sendTransaction" ? "request lost" : null));
    await expect(launchpad.submitClaim(claim, unsent, never)).rejects.toBeInstanceOf(
      ClaimExpiredError,
    );
  });

  test("finds a landed claim whose status the node forgot", async () => {
    const { launchpad, restart, clock, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const first = await launchpad.submitClaim(claim, unsent, never);
    clock.advance(10 * 60_000);
    rpc.rewrite("getSignatureStatuses", (answer) => {
      answer.result.value = answer.result.value.map(() => null);
      return answer;
    });
    expect(await restart().submitClaim(claim, unsent, never)).toEqual(first);
    // A second node is behind: it has no transaction, and does not say that it cannot know.
    rpc.rewrite("getTransaction", (answer) => ({ ...answer, result: null }));
    await expect(restart().submitClaim(claim, unsent, never)).rejects.toThrow(
      "lists the transaction, but does not return it",
    );
    // One that is further behind does not list it, but says that it cannot know.
    rpc.rewrite("getSignaturesForAddress", (answer, params) => {
      if (!JSON.stringify(params).includes("minContextSlot")) return { ...answer, result: [] };
      const error = { code: -32016, message: "Minimum context slot has not been reached" };
      return { jsonrpc: "2.0", id: 1, error } as Answer;
    });
    for (const ask of [
      () => restart().submitClaim(claim, sentBefore(claim), never),
      () => launchpad.finalOutcome(claim),
    ]) {
      await expect(ask()).rejects.toBeInstanceOf(ChainUnavailableError);
    }
  });

  test("ignores a node's refusal of a claim that was sent before", async () => {
    const { launchpad, restart, chain, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const stop = new AbortController();
    // The node got it, but the server stops before it reads the outcome.
    rpc.rewrite("sendTransaction", (answer) => {
      stop.abort();
      return answer;
    });
    await expect(launchpad.submitClaim(claim, unsent, stop.signal)).rejects.toThrow("stopping");
    const refusal = "Transaction simulation failed: Error processing Instruction 1: custom program";
    rpc.rewrite("sendTransaction", ({ result, ...answer }) => ({
      ...answer,
      error: { code: -32002, message: `${refusal} error: 0xbc4`, data: { logs: [] } },
    }));
    let reads = 0;
    rpc.rewrite("getSignatureStatuses", (answer) => {
      if (reads++ === 0) answer.result.value[0] = null;
      return answer;
    });
    const resumed = restart().submitClaim(claim, sentBefore(claim), never);
    expect((await resumed).paidLamports).toBe(FEE);
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
  });

  for (const fault of FAULTS) {
    for (const method of [
      "sendTransaction",
      "getSignatureStatuses",
      "getEpochInfo",
      "getTransaction",
    ]) {
      test(`pays once and the right amount with ${fault} at ${method}`, async () => {
        const { launchpad, restart, chain, token, agent, build, rpc } = await tokenWithFees();
        const claim = signClaim(await build(), agent, token);
        rpc.spoilNext(method, fault, 3);
        const { value, errors } = await insist(() => restart().submitClaim(claim, unsent, never));
        for (const error of errors) expect(error).toBeInstanceOf(ChainUnavailableError);
        expect(value.paidLamports).toBe(FEE);
        expect(await launchpad.submitClaim(claim, unsent, never)).toEqual(value);
        expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
      });
    }
  }

  test("waits for a transaction that cannot be read yet", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    let reads = 0;
    rpc.rewrite("getTransaction", (answer) => {
      reads += 1;
      return reads < 4 ? { ...answer, result: null } : answer;
    });
    expect((await launchpad.submitClaim(claim, unsent, never)).paidLamports).toBe(FEE);
    expect(reads).toBe(4);
  });

  const steps: CrashPointName[] = ["claim.stored", "claim.sent", "claim.landed"];
  for (const step of steps) {
    test(`recovers from a crash at ${step}`, async () => {
      let crashes = 1;
      const { restart, chain, token, agent, build } = await tokenWithFees({
        crashPoint: (name) => {
          if (name === step && crashes-- > 0) throw new Error("crash");
        },
      });
      const claim = signClaim(await build(), agent, token);
      const { value, errors } = await insist(() => restart().submitClaim(claim, unsent, never));
      expect(errors).toHaveLength(1);
      expect(value.paidLamports).toBe(FEE);
      expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
    });
  }

  test("sends nothing after a stop", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const stopped = launchpad.submitClaim(claim, unsent, AbortSignal.abort());
    await expect(stopped).rejects.toBeInstanceOf(ChainUnavailableError);
    expect(rpc.count("sendTransaction")).toBe(0);
  });
});
