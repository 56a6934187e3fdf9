import { describe, expect, test } from "bun:test";
import {
  createAssociatedTokenAccountInstruction,
  createSyncNativeInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import { Keypair, SystemProgram, Transaction } from "@solana/web3.js";
import { utcDay } from "../../base/utc-day.ts";
import type { CheckpointName } from "../checkpoint.ts";
import {
  ChainUnavailableError,
  ClaimBuildError,
  ClaimExpiredError,
  ClaimRefusedError,
} from "../errors.ts";
import type { TokenRef } from "../launchpad.ts";
import { readable } from "../testing/readable.ts";
import { FAULTS } from "./testing/hostile-rpc.ts";
import {
  insist,
  Journal,
  never,
  order,
  SOL,
  signClaim,
  testLaunchpad,
} from "./testing/test-launchpad.ts";
import { FEE, tokenWithFees } from "./testing/token-with-fees.ts";

describe("buildClaim", () => {
  test("a legacy transaction that the agent alone signs and pays", async () => {
    const { build, wallet, rpc } = await tokenWithFees();
    const claim = await build();
    const transaction = Transaction.from(claim.transaction);
    expect(transaction.feePayer?.toBase58()).toBe(wallet);
    expect(transaction.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([wallet]);
    expect(transaction.signature).toBeNull();
    expect(transaction.compileMessage().serialize()).toEqual(Buffer.from(claim.message));
    expect(claim.transaction.length).toBeLessThanOrEqual(1232);
    expect(claim.expiresInSeconds).toBe(60);
    expect(rpc.calls).toEqual(["getMultipleAccounts", "simulateTransaction"]);
  });

  test("null with nothing to claim", async () => {
    const { launchpad } = testLaunchpad();
    const wallet = Keypair.generate().publicKey.toBase58();
    const token = await launchpad.deploy(order(wallet), new Journal(), never);
    expect(await launchpad.buildClaim(wallet, token)).toBeNull();
  });

  test("another agent's fees cannot be claimed", async () => {
    const { launchpad, chain, token } = await tokenWithFees();
    const thief = Keypair.generate().publicKey;
    chain.airdrop(thief, SOL);
    const building = launchpad.buildClaim(thief.toBase58(), token);
    await expect(building).rejects.toBeInstanceOf(ClaimBuildError);
  });

  test("bids for its place at most 50,000 lamports of the agent's", async () => {
    const limits = { maxPriorityMicroLamports: 1_000_000_000n };
    const { launchpad, chain, clock, rpc, agent, token, build } = await tokenWithFees({ limits });
    rpc.rewrite("getRecentPrioritizationFees", (answer) => {
      for (const fee of answer.result) fee.prioritizationFee = 900_000_000;
      return answer;
    });
    clock.advance(10_000);
    const claim = signClaim(await build(), agent, token);
    await launchpad.submitClaim(claim, never);
    const fee = Number(chain.getTransaction(claim.signature)?.meta.fee);
    expect(fee).toBeGreaterThan(49_000);
    expect(fee).toBeLessThanOrEqual(50_000);
  });

  for (const fault of FAULTS) {
    for (const method of ["getMultipleAccounts", "simulateTransaction"]) {
      test(`${fault} at ${method} is the chain's trouble, not the claim's`, async () => {
        const { build, rpc } = await tokenWithFees();
        rpc.spoilNext(method, fault);
        const error = await build().catch((fault) => fault);
        expect(error).toBeInstanceOf(ChainUnavailableError);
        expect(Bun.inspect(error)).not.toMatch(/api-key|localnet\.invalid/);
      });
    }
  }
});

describe("submitClaim", () => {
  test("pays what the vaults held, to the lamport", async () => {
    const { launchpad, chain, agent, token, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    rpc.calls.length = 0;
    const confirmed = await launchpad.submitClaim(claim, never);
    expect(confirmed).toEqual({ signature: claim.signature, paidLamports: FEE });
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
    expect(rpc.calls).toEqual([
      "getSignatureStatuses",
      "getEpochInfo",
      "sendTransaction",
      "getSignatureStatuses",
      "getTransaction",
    ]);
  });

  test("wrapped SOL that the agent had already comes to it, but is not the claim's", async () => {
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
    expect((await launchpad.submitClaim(claim, never)).paidLamports).toBe(FEE);
    expect(chain.getBalance(publicKey)).toBe(SOL + FEE - 2n * 5_000n);
  });

  test("both kinds in one transaction", async () => {
    const { launchpad, sandbox, agent, wallet, token, build } = await tokenWithFees();
    await sandbox.graduate(token);
    await sandbox.trade({ ...token, side: "buy", lamports: 2n * SOL });
    const [fees] = readable(await launchpad.readFees(wallet, [token]));
    expect(fees?.isMigrated).toBe(true);
    expect(fees?.liquidityPool.claimable).toBe(2n * FEE);
    const claimable = (fees?.bondingCurve.claimable ?? 0n) + (fees?.liquidityPool.claimable ?? 0n);
    const claim = signClaim(await build(), agent, token);
    expect((await launchpad.submitClaim(claim, never)).paidLamports).toBe(claimable);
    const [after] = readable(await launchpad.readFees(wallet, [token]));
    expect(after?.bondingCurve).toMatchObject({ claimable: 0n, claimed: fees?.bondingCurve.total });
    expect(after?.liquidityPool).toEqual({ claimable: 0n, claimed: 2n * FEE, total: 2n * FEE });
  });

  test("sent again after it landed, gives the first answer and sends nothing", async () => {
    const { launchpad, restart, clock, agent, token, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const first = await launchpad.submitClaim(claim, never);
    clock.advance(10 * 60_000);
    rpc.calls.length = 0;
    expect(await restart().submitClaim(claim, never)).toEqual(first);
    expect(rpc.count("sendTransaction")).toBe(0);
  });

  test("sent twice at once, lands once", async () => {
    const { launchpad, restart, chain, agent, token, build } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const [one, other] = await Promise.all([
      launchpad.submitClaim(claim, never),
      restart().submitClaim(claim, never),
    ]);
    expect(one).toEqual(other);
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
  });

  test("like fees within one slot are claimed twice", async () => {
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    const { launchpad, sandbox, chain, agent, token, build } = await tokenWithFees({
      confirmer: { pause },
    });
    const slot = chain.slot();
    const one = await launchpad.submitClaim(signClaim(await build(), agent, token), never);
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    const two = await launchpad.submitClaim(signClaim(await build(), agent, token), never);
    expect(chain.slot()).toBe(slot);
    expect(two.paidLamports).toBe(one.paidLamports);
    expect(two.signature).not.toBe(one.signature);
    expect(chain.getBalance(agent.publicKey)).toBe(SOL + 2n * (FEE - 5_000n));
  });

  test("refused where another claim took the fees", async () => {
    const { launchpad, agent, token, build } = await tokenWithFees();
    const [one, other] = [await build(), await build()];
    await launchpad.submitClaim(signClaim(one, agent, token), never);
    const second = launchpad.submitClaim(signClaim(other, agent, token), never);
    await expect(second).rejects.toBeInstanceOf(ClaimRefusedError);
    await expect(second).rejects.toThrow("The chain refused the claim (instruction ");
  });

  test("refused without the agent's signature", async () => {
    const { launchpad, token, agent, build } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    claim.transaction[5] = (claim.transaction[5] ?? 0) ^ 1;
    const submitted = launchpad.submitClaim(claim, never);
    await expect(submitted).rejects.toThrow("a signature does not verify");
  });

  test("refused where the wallet was emptied since", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    rpc.rewrite("sendTransaction", ({ result, ...answer }) => {
      const logs = ["Transfer: insufficient lamports 1, need 2039280"];
      const message =
        "Transaction simulation failed: Error processing Instruction 1: custom program error: 0x1";
      return { ...answer, error: { code: -32002, message, data: { logs } } };
    });
    const submitted = launchpad.submitClaim(claim, never);
    await expect(submitted).rejects.toBeInstanceOf(ClaimRefusedError);
    await expect(submitted).rejects.toThrow("send SOL to it");
  });

  test("expired when signed too late", async () => {
    const { launchpad, clock, token, agent, build } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    clock.advance(61_000);
    await expect(launchpad.submitClaim(claim, never)).rejects.toBeInstanceOf(ClaimExpiredError);
  });

  test("expired when it was never heard", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    rpc.spoil((method) => (method === "sendTransaction" ? "request lost" : null));
    await expect(launchpad.submitClaim(claim, never)).rejects.toBeInstanceOf(ClaimExpiredError);
  });

  test("one that landed has not expired, though the node forgot its status", async () => {
    const { launchpad, restart, clock, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const first = await launchpad.submitClaim(claim, never);
    clock.advance(10 * 60_000);
    rpc.rewrite("getSignatureStatuses", (answer) => {
      answer.result.value = answer.result.value.map(() => null);
      return answer;
    });
    expect(await restart().submitClaim(claim, never)).toEqual(first);
  });

  test("a node's refusal does not undo what was sent before", async () => {
    const { launchpad, restart, chain, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const stop = new AbortController();
    // Heard, but nobody knows: the server stops before it could look.
    rpc.rewrite("sendTransaction", (answer) => {
      stop.abort();
      return answer;
    });
    await expect(launchpad.submitClaim(claim, stop.signal)).rejects.toThrow("stopping");
    const refusal = "Transaction simulation failed: Error processing Instruction 1: custom program";
    rpc.rewrite("sendTransaction", ({ result, ...answer }) => ({
      ...answer,
      error: { code: -32002, message: `${refusal} error: 0xbc4`, data: { logs: [] } },
    }));
    let looks = 0;
    rpc.rewrite("getSignatureStatuses", (answer) => {
      if (looks++ === 0) answer.result.value[0] = null;
      return answer;
    });
    const resumed = restart().submitClaim({ ...claim, mayBeUnderWay: true }, never);
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
      test(`${fault} at ${method}: paid once, measured right`, async () => {
        const { launchpad, restart, chain, token, agent, build, rpc } = await tokenWithFees();
        const claim = signClaim(await build(), agent, token);
        rpc.spoilNext(method, fault, 3);
        const { value, errors } = await insist(() => restart().submitClaim(claim, never));
        for (const error of errors) expect(error).toBeInstanceOf(ChainUnavailableError);
        expect(value.paidLamports).toBe(FEE);
        expect(await launchpad.submitClaim(claim, never)).toEqual(value);
        expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
      });
    }
  }

  test("a transaction that cannot be read yet is waited for", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    let reads = 0;
    rpc.rewrite("getTransaction", (answer) => {
      reads += 1;
      return reads < 4 ? { ...answer, result: null } : answer;
    });
    expect((await launchpad.submitClaim(claim, never)).paidLamports).toBe(FEE);
    expect(reads).toBe(4);
  });

  const steps: CheckpointName[] = ["claim.stored", "claim.sent", "claim.landed"];
  for (const step of steps) {
    test(`a crash at ${step} is made good`, async () => {
      let crashes = 1;
      const { restart, chain, token, agent, build } = await tokenWithFees({
        checkpoint: (name) => {
          if (name === step && crashes-- > 0) throw new Error("crash");
        },
      });
      const claim = signClaim(await build(), agent, token);
      const { value, errors } = await insist(() => restart().submitClaim(claim, never));
      expect(errors).toHaveLength(1);
      expect(value.paidLamports).toBe(FEE);
      expect(chain.getBalance(agent.publicKey)).toBe(SOL + FEE - 5_000n);
    });
  }

  test("a stop leaves it open", async () => {
    const { launchpad, token, agent, build, rpc } = await tokenWithFees();
    const claim = signClaim(await build(), agent, token);
    const stopped = launchpad.submitClaim(claim, AbortSignal.abort());
    await expect(stopped).rejects.toBeInstanceOf(ChainUnavailableError);
    expect(rpc.count("sendTransaction")).toBe(0);
  });
});

describe("readFees", () => {
  test("an RPC that is away is the chain's trouble", async () => {
    const { launchpad, wallet, token, rpc } = await tokenWithFees();
    rpc.spoilNext("getMultipleAccounts", "500");
    const reading = launchpad.readFees(wallet, [token]);
    await expect(reading).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("an answer that leaves accounts out is the RPC's fault, not the tokens'", async () => {
    const { launchpad, wallet, token, rpc } = await tokenWithFees();
    rpc.rewrite("getMultipleAccounts", (answer) => {
      answer.result.value.pop();
      return answer;
    });
    const reading = launchpad.readFees(wallet, [token, token]);
    await expect(reading).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("an error of which web3.js keeps the words alone is told from ours", async () => {
    const wallet = Keypair.generate().publicKey;
    const token = { tokenMint: wallet.toBase58(), poolAddress: wallet.toBase58() };
    let ask: () => Promise<unknown> = () => Promise.reject(new TypeError("a fault of ours"));
    const { launchpad, rpc, connection } = testLaunchpad({
      program: (inner) => ({ ...inner, readFees: async () => [(await ask()) as never] }),
    });
    const read = () => launchpad.readFees(wallet.toBase58(), [token]);
    await expect(read()).rejects.toBeInstanceOf(TypeError);
    ask = () => connection.getAccountInfo(wallet);
    rpc.spoil(() => "request lost");
    await expect(read()).rejects.toThrow("The Solana RPC cannot be reached");
    await expect(read()).rejects.toBeInstanceOf(ChainUnavailableError);
  });

  test("120 tokens take three requests", async () => {
    const { launchpad, wallet, token, rpc } = await tokenWithFees();
    const tokens: TokenRef[] = Array.from({ length: 120 }, () => token);
    rpc.calls.length = 0;
    const fees = readable(await launchpad.readFees(wallet, tokens));
    expect(fees).toHaveLength(120);
    expect(fees[119]?.bondingCurve.claimable).toBe(FEE);
    expect(rpc.calls).toHaveLength(3);
  });
});

describe("probe", () => {
  test("all is well", async () => {
    const { launchpad } = testLaunchpad();
    const probe = await launchpad.probe();
    expect(probe).toEqual({ ok: true, problem: null, walletLamports: 100n * SOL });
  });

  test("a wallet under the floor", async () => {
    const { launchpad, wallet } = testLaunchpad({ limits: { minWalletLamports: 101n * SOL } });
    const probe = await launchpad.probe();
    expect(probe).toEqual({
      ok: false,
      problem: `The launch wallet ${wallet.publicKey} holds 100 SOL and needs 101 SOL to launch: send SOL to it`,
      walletLamports: 100n * SOL,
    });
  });

  test("a wallet with less than a launch costs, once a launch showed it", async () => {
    const funds = SOL + 5_000_000n;
    const limits = { minWalletLamports: SOL };
    const { launchpad, chain, wallet } = testLaunchpad({ funds, limits });
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const launch = [order(), new Journal(), never] as const;
    await expect(launchpad.deploy(...launch)).rejects.toThrow("send SOL to it");
    const { ok, problem } = await launchpad.probe();
    expect(ok).toBe(false);
    expect(problem).toContain("holds 1.005 SOL and needs 1.0");
    chain.airdrop(wallet.publicKey, SOL);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    await launchpad.deploy(...launch);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
  });

  test("a day's limit that is used up, until the day is over", async () => {
    const spent = new Map<string, bigint>();
    const limits = { maxDailySpendLamports: 12_000_000n };
    const { launchpad, clock } = testLaunchpad({
      limits,
      spendBook: {
        spentToday: () => spent.get(utcDay(clock.now())) ?? 0n,
        record: (lamports) => {
          const day = utcDay(clock.now());
          spent.set(day, (spent.get(day) ?? 0n) + lamports);
        },
      },
    });
    await launchpad.deploy(order(), new Journal(), never);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const launch = [order(), new Journal(), never] as const;
    await expect(launchpad.deploy(...launch)).rejects.toThrow("00:00 UTC");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: expect.stringContaining("limit of 0.012 SOL a day"),
    });
    clock.advance(86_400_000);
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    await launchpad.deploy(...launch);
  });

  test("an RPC that is away, a node that is behind", async () => {
    const { launchpad, clock, rpc } = testLaunchpad();
    rpc.spoilNext("getMultipleAccounts", "request lost");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: "The Solana RPC cannot be reached",
      walletLamports: null,
    });
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    clock.advance(4_500);
    rpc.spoilNext("getHealth", "JSON-RPC error");
    expect(await launchpad.probe()).toMatchObject({
      ok: false,
      problem: "The Solana RPC node is behind its cluster",
      walletLamports: 100n * SOL,
    });
  });

  test("a node that stands still is behind, though it calls itself healthy", async () => {
    const { launchpad, chain, clock, rpc } = testLaunchpad();
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    const slot = chain.slot();
    rpc.rewrite("getMultipleAccounts", (answer) => {
      answer.result.context.slot = slot;
      return answer;
    });
    clock.advance(30_000);
    const problem = "The Solana RPC node is behind its cluster";
    expect(await launchpad.probe()).toMatchObject({ ok: false, problem });
    rpc.calm();
    expect(await launchpad.probe()).toMatchObject({ ok: true });
  });

  test("a program's problem is looked for anew after a minute, or sooner while there is one", async () => {
    let asked = 0;
    let problem: string | null = null;
    const { launchpad, clock } = testLaunchpad({
      program: (inner) => ({
        ...inner,
        async problem() {
          asked += 1;
          return problem;
        },
      }),
    });
    await launchpad.probe();
    clock.advance(59_000);
    await launchpad.probe();
    expect(asked).toBe(1);
    problem = "The program is not on this cluster";
    clock.advance(1_000);
    expect(await launchpad.probe()).toMatchObject({ ok: false, problem });
    clock.advance(5_000);
    problem = null;
    expect(await launchpad.probe()).toMatchObject({ ok: true });
    expect(asked).toBe(3);
  });
});
