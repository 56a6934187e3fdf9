import { describe, expect, test } from "bun:test";
import {
  createAssociatedTokenAccountInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import { type PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import type { LocalChain } from "../../localnet/chain.ts";
import type { Answer } from "../chain/testing/hostile-rpc.ts";
import { FEE, tokenWithFees } from "../chain/testing/token-with-fees.ts";
import { ChainUnavailableError, UnaffordableError } from "../errors.ts";
import { signBy, stepTwo } from "./testing/steps.ts";

const SIGNATURE_FEE = 5_000n;
const MOST_FEE = 50_000n;
/** Rent of a token account, and the least that a wallet must hold. */
const RENT = 2_039_280n;
const WALLET_RENT = 890_880n;

function hold(chain: LocalChain, wallet: PublicKey, lamports: bigint): void {
  chain.setAccount(wallet, { lamports, owner: SystemProgram.programId });
}

type Token = Awaited<ReturnType<typeof tokenWithFees>>;

const wrappedSol = ({ agent }: Token) =>
  getAssociatedTokenAddressSync(NATIVE_MINT, agent.publicKey);

/** Another wallet creates the agent's account for wrapped SOL. */
function makeWrappedSol(token: Token): void {
  const { chain, agent, payer } = token;
  const make = createAssociatedTokenAccountInstruction(
    payer.publicKey,
    wrappedSol(token),
    agent.publicKey,
    NATIVE_MINT,
  );
  const transaction = new Transaction({
    feePayer: payer.publicKey,
    ...chain.latestBlockhash(),
  }).add(make);
  transaction.sign(payer);
  chain.sendTransaction(transaction.serialize());
}

/** What the agent has on chain before the claim, how it got there, and the deposit of the claim. */
const cases: [name: string, prepare: (token: Token) => unknown, deposit: bigint][] = [
  ["no account for SOL", () => {}, RENT],
  ["an account for SOL", makeWrappedSol, WALLET_RENT],
  [
    "1,000,000 lamports at the account's future address",
    (token) => token.chain.airdrop(wrappedSol(token), 1_000_000n),
    RENT - 1_000_000n,
  ],
  [
    "2,000,000 lamports at the account's future address",
    (token) => token.chain.airdrop(wrappedSol(token), 2_000_000n),
    WALLET_RENT,
  ],
  [
    "more than the rent at the account's future address",
    (token) => token.chain.airdrop(wrappedSol(token), 3_000_000n),
    WALLET_RENT,
  ],
];

describe("buildClaim", () => {
  test.each(cases)(
    "with %s refuses a lamport too few and accepts enough",
    async (_, prepare, deposit) => {
      const token = await tokenWithFees({ lamports: 0n });
      const { launchpad, chain, agent, wallet, build } = token;
      prepare(token);
      const waiting = chain.getBalance(wrappedSol(token));
      const required = SIGNATURE_FEE + deposit;
      for (const balance of [0n, WALLET_RENT, required - 1n]) {
        hold(chain, agent.publicKey, balance);
        const building = build();
        await expect(building).rejects.toBeInstanceOf(UnaffordableError);
        await expect(building).rejects.toMatchObject({ required, balance });
      }
      hold(chain, agent.publicKey, required);
      const claim = signBy(agent, await build());
      expect((await stepTwo(launchpad, claim)).paidLamports).toBe(FEE);
      expect(chain.getBalance(wallet)).toBe(deposit + waiting + FEE);
    },
  );

  test("says how much SOL to send, and where", async () => {
    const { build, wallet } = await tokenWithFees({ lamports: 1_000_000n });
    await expect(build()).rejects.toThrow(
      `The wallet holds 0.001 SOL, and the claim takes 0.00204428 SOL up front, for the network fee and the rent of token accounts: send at least 0.00104428 SOL to ${wallet}, then claim again`,
    );
  });

  test("counts this claim's bid, and asks for the highest possible one", async () => {
    const limits = { maxPriorityMicroLamports: 1_000_000_000n };
    const { launchpad, chain, clock, rpc, agent, build } = await tokenWithFees({
      limits,
      lamports: 0n,
    });
    const bidOfOthers = (microLamports: number) => {
      rpc.rewrite("getRecentPrioritizationFees", (answer) => {
        for (const fee of answer.result) fee.prioritizationFee = microLamports;
        return answer;
      });
      clock.advance(10_000);
    };
    const required = MOST_FEE + RENT;
    // Above the cap: the claim costs the highest fee, so the cost of the simulation is not enough.
    bidOfOthers(900_000_000);
    for (const balance of [0n, SIGNATURE_FEE + RENT, required - 1n]) {
      hold(chain, agent.publicKey, balance);
      await expect(build()).rejects.toMatchObject({ required, balance });
    }
    hold(chain, agent.publicKey, required);
    expect(await build()).toBeDefined();
    // Below the cap: the claim's own cost is enough, although the error asks for more.
    bidOfOthers(100_000);
    hold(chain, agent.publicKey, SIGNATURE_FEE + RENT);
    await expect(build()).rejects.toMatchObject({ required });
    hold(chain, agent.publicKey, required - 1n);
    const claim = signBy(agent, await build());
    expect((await stepTwo(launchpad, claim)).paidLamports).toBe(FEE);
  });

  test("decides nothing if the node contradicts itself", async () => {
    const { rpc, build } = await tokenWithFees();
    rpc.rewrite("simulateTransaction", (answer) => {
      answer.result.value.err = "InsufficientFundsForFee";
      return answer;
    });
    const building = build();
    await expect(building).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(building).rejects.toThrow(
      "different answers about the claim (insufficient funds for fee)",
    );
  });

  test("decides nothing by an answer without the rent or from an older state", async () => {
    const { rpc, build } = await tokenWithFees({ lamports: 0n });
    let change = (result: Answer["result"]): void => result;
    rpc.rewrite("getMultipleAccounts", (answer) => {
      // Only the read of the claim's funds has three accounts.
      if (answer.result.value.length === 3) change(answer.result);
      return answer;
    });
    await expect(build()).rejects.toBeInstanceOf(UnaffordableError);
    for (const spoilt of [
      (result: Answer["result"]) => void result.value.splice(0, 1, null),
      (result: Answer["result"]) => void result.value.pop(),
      (result: Answer["result"]) => {
        result.context.slot -= 1;
      },
    ]) {
      change = spoilt;
      await expect(build()).rejects.toBeInstanceOf(ChainUnavailableError);
    }
  });
});

describe("checkSigned", () => {
  /** A signed claim whose wallet was emptied since. */
  async function emptied(balance: bigint, microLamports = 0) {
    const limits = { maxPriorityMicroLamports: 1_000_000_000n };
    const made = await tokenWithFees({ limits });
    const { chain, clock, rpc, agent, build } = made;
    rpc.rewrite("getRecentPrioritizationFees", (answer) => {
      for (const fee of answer.result) fee.prioritizationFee = microLamports;
      return answer;
    });
    clock.advance(10_000);
    const claim = signBy(agent, await build());
    hold(chain, agent.publicKey, balance);
    return { ...made, claim };
  }

  test.each([
    [0, SIGNATURE_FEE + RENT],
    [900_000_000, MOST_FEE + RENT],
  ])("at a bid of %d refuses a lamport too few and lands with enough", async (bid, required) => {
    const { launchpad, chain, agent, claim } = await emptied(required - 1n, bid);
    const submitted = stepTwo(launchpad, claim);
    await expect(submitted).rejects.toBeInstanceOf(UnaffordableError);
    await expect(submitted).rejects.toMatchObject({ required, balance: required - 1n });
    expect(chain.getTransaction(claim.signature)).toBeNull();
    hold(chain, agent.publicKey, required);
    expect((await stepTwo(launchpad, claim)).paidLamports).toBe(FEE);
  });

  test.each<[string, (token: Token) => void]>([
    [
      "the wallet got SOL since",
      ({ rpc, chain, agent }) =>
        rpc.rewrite("getSignatureStatuses", (answer) => {
          hold(chain, agent.publicKey, SIGNATURE_FEE + RENT);
          rpc.rewrite("simulateTransaction", ({ result, ...answer }) => {
            const value = { err: "AccountNotFound", logs: [] };
            return { ...answer, result: { ...result, value } };
          });
          return answer;
        }),
    ],
    [
      "its balance cannot be read",
      ({ rpc }) => rpc.spoilNext("getMultipleAccounts", "request lost", 9),
    ],
  ])("decides nothing if %s", async (_, happen) => {
    const token = await emptied(0n);
    happen(token);
    await expect(stepTwo(token.launchpad, token.claim)).rejects.toThrow("different answers");
  });
});
