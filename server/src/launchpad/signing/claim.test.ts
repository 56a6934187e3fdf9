import { describe, expect, mock, setDefaultTimeout, test } from "bun:test";
import {
  AuthorityType,
  createAssociatedTokenAccountInstruction,
  createSetAuthorityInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import { Keypair, type PublicKey, SystemProgram, Transaction } from "@solana/web3.js";
import { openClaim } from "../../../../test/support/assertions.ts";
import type { LocalChain } from "../../localnet/chain.ts";
import type { Answer } from "../../solana/testing/faulty-rpc.ts";
import { Journal } from "../chain/testing/journal.ts";
import { never, order, testLaunchpad } from "../chain/testing/test-launchpad.ts";
import { FEE, tokenWithFees } from "../chain/testing/token-with-fees.ts";
import {
  ChainUnavailableError,
  CreatorChangedError,
  toServiceError,
  UnaffordableError,
} from "../errors.ts";
import { openMarket, SOL } from "../meteora/testing/launchpad.ts";
import { giveCreator } from "../meteora/testing/positions.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { send } from "../meteora/testing/send.ts";
import { traded } from "../meteora/testing/trades.ts";
import { wrappedSolAccount } from "../pool-program.ts";
import { launchpadOn, signBy, stepTwo } from "./testing/steps.ts";

describe("buildClaim", () => {
  test("asks whether the launch wallet may pay only if the agent cannot", async () => {
    const maySponsor = mock(async () => false);
    const { launchpad, wallet, token } = await tokenWithFees();
    await launchpad.buildClaim(wallet, [token], { maySponsor });
    expect(maySponsor).not.toHaveBeenCalled();
    const poor = await tokenWithFees({ lamports: 0n });
    const building = poor.launchpad.buildClaim(poor.wallet, [poor.token], { maySponsor });
    await expect(building).rejects.toBeInstanceOf(UnaffordableError);
    expect(maySponsor).toHaveBeenCalledTimes(1);
  });

  test("returns a legacy transaction that only the agent signs and pays", async () => {
    const { build, wallet, rpc } = await tokenWithFees();
    const claim = await build();
    const transaction = Transaction.from(claim.transaction);
    expect(transaction.feePayer?.toBase58()).toBe(wallet);
    expect(transaction.signatures.map(({ publicKey }) => publicKey.toBase58())).toEqual([wallet]);
    expect(transaction.signature).toBeNull();
    expect(claim.transaction.length).toBeLessThanOrEqual(1232);
    // Until the chain's pace was measured: 145 blocks of 200 ms.
    expect(claim.expiresInSeconds).toBe(29);
    expect(rpc.calls).toEqual(["getMultipleAccounts", "simulateTransaction"]);
  });

  test("returns null if there is nothing to claim", async () => {
    const { launchpad } = testLaunchpad();
    const wallet = Keypair.generate().publicKey.toBase58();
    const token = await launchpad.deploy(order(wallet), new Journal(), never);
    expect(await launchpad.buildClaim(wallet, [token])).toBeNull();
  });

  test("refuses to claim another agent's fees", async () => {
    const { launchpad, chain, token } = await tokenWithFees();
    const thief = Keypair.generate().publicKey;
    chain.airdrop(thief, SOL);
    const building = launchpad.buildClaim(thief.toBase58(), [token]);
    await expect(building).rejects.toBeInstanceOf(CreatorChangedError);
  });

  test("leaves compute units for assertions that the wallet may add", async () => {
    const { launchpad, chain, agent, build } = await tokenWithFees();
    const claim = signBy(agent, await build());
    await stepTwo(launchpad, claim);
    const used = Number(chain.getTransaction(claim.signature)?.meta.computeUnitsConsumed);
    expect(used).toBeGreaterThan(0);
    const limit = openClaim(claim.transaction).instructions[0]?.data.readUInt32LE(1);
    expect(limit).toBeGreaterThan(1.2 * used + 15_000);
  });

  test("pays a priority fee of at most 50,000 lamports of the agent's", async () => {
    const limits = { maxPriorityMicroLamports: 1_000_000_000n };
    const { launchpad, chain, clock, rpc, agent, build } = await tokenWithFees({ limits });
    rpc.unitPrice(900_000_000);
    clock.advance(10_000);
    const claim = signBy(agent, await build());
    await stepTwo(launchpad, claim);
    const fee = Number(chain.getTransaction(claim.signature)?.meta.fee);
    expect(fee).toBeGreaterThan(49_000);
    expect(fee).toBeLessThanOrEqual(50_000);
  });
});

const SIGNATURE_FEE = 5_000n;
const MOST_FEE = 50_000n;
/** The rent of a token account, and the minimum balance of a wallet. */
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

/** The agent's accounts before the claim, how they came about, and the claim's deposit. */
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
      `The wallet holds 0.001 SOL, and the claim takes 0.00204428 SOL, with what a wallet must keep: send at least 0.00104428 SOL to ${wallet}, then try again`,
    );
  });

  test("counts this claim's priority fee, and asks for the highest possible one", async () => {
    const limits = { maxPriorityMicroLamports: 1_000_000_000n };
    const { launchpad, chain, clock, rpc, agent, build } = await tokenWithFees({
      limits,
      lamports: 0n,
    });
    const unitPriceOfOthers = (microLamports: number) => {
      rpc.unitPrice(microLamports);
      clock.advance(10_000);
    };
    const required = MOST_FEE + RENT;
    // Above the cap: the claim costs the highest fee, so the cost of the simulation is not enough.
    unitPriceOfOthers(900_000_000);
    for (const balance of [0n, SIGNATURE_FEE + RENT, required - 1n]) {
      hold(chain, agent.publicKey, balance);
      await expect(build()).rejects.toMatchObject({ required, balance });
    }
    hold(chain, agent.publicKey, required);
    expect(await build()).toBeDefined();
    // Below the cap: the claim's own cost is enough, although the error asks for more.
    unitPriceOfOthers(100_000);
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
  /** A signed claim whose wallet was emptied afterwards. */
  async function emptied(balance: bigint, microLamports = 0) {
    const limits = { maxPriorityMicroLamports: 1_000_000_000n };
    const made = await tokenWithFees({ limits });
    const { chain, clock, rpc, agent, build } = made;
    rpc.unitPrice(microLamports);
    clock.advance(10_000);
    const claim = signBy(agent, await build());
    hold(chain, agent.publicKey, balance);
    return { ...made, claim };
  }

  test.each([
    [0, SIGNATURE_FEE + RENT],
    [900_000_000, MOST_FEE + RENT],
  ])(
    "at a unit price of %d refuses a lamport too few and lands with enough",
    async (unitPrice, required) => {
      const { launchpad, chain, agent, claim } = await emptied(required - 1n, unitPrice);
      const submitted = stepTwo(launchpad, claim);
      await expect(submitted).rejects.toBeInstanceOf(UnaffordableError);
      await expect(submitted).rejects.toMatchObject({ required, balance: required - 1n });
      expect(chain.getTransaction(claim.signature)).toBeNull();
      hold(chain, agent.publicKey, required);
      expect((await stepTwo(launchpad, claim)).paidLamports).toBe(FEE);
    },
  );

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

setDefaultTimeout(ON_CHAIN_MS);

describeMeteora("a claim of a wallet whose account for wrapped SOL", () => {
  test.each([
    [AuthorityType.AccountOwner, "belongs to"],
    [AuthorityType.CloseAccount, "may be closed by"],
  ])("is another's names the account, the cause and a way (%i)", async (authority, cause) => {
    const { launchpad: meteora, trader } = await openMarket({});
    const { connection } = meteora.cluster;
    const { token, agent } = await traded(meteora, trader);
    const wallet = agent.publicKey;
    const account = wrappedSolAccount(wallet);
    const other = meteora.cluster.wallet(SOL).publicKey;
    const make = createAssociatedTokenAccountInstruction(wallet, account, wallet, NATIVE_MINT);
    const give = createSetAuthorityInstruction(account, wallet, authority, other);
    await send(connection, [make, give], [agent]);

    const launchpad = launchpadOn(meteora);
    // A sponsor pays only for a wallet that cannot.
    const maySponsor = mock(async () => true);
    const building = launchpad.buildClaim(String(wallet), [token.ref], { maySponsor });
    const error = await building.catch(toServiceError);
    expect(maySponsor).not.toHaveBeenCalled();
    expect(error).toMatchObject({
      wireCode: "claim_build_failed",
      message: expect.stringContaining(`wrapped SOL ${account} ${cause} ${other}`),
      advice: expect.stringContaining("`tokenctl hand-over <token> --to <wallet> --leave-fees`"),
    });

    // The advised way: the other wallet claims the open fees.
    const newCreator = meteora.cluster.wallet(SOL);
    await giveCreator(connection, token.pool, agent, newCreator.publicKey);
    const claim = await launchpad.buildClaim(String(newCreator.publicKey), [token.ref]);
    expect(claim?.tokens).toEqual([token.ref]);
  });
});
