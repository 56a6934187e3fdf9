import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  createAssociatedTokenAccountInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import {
  LaunchRefusedError,
  LaunchWalletError,
  RefusedError,
  UnaffordableError,
} from "../errors.ts";
import { KINDS, openCluster } from "../meteora/testing/cluster.ts";
import { openLaunchpad, programFor, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { send } from "../meteora/testing/send.ts";
import { buy } from "../meteora/testing/trades.ts";
import { launchpadOn, signBy, stepTwo } from "../signing/testing/steps.ts";
import { Journal, MemoryBook, sentBefore } from "./testing/journal.ts";
import { never, order, SOL, type WholeLaunchpad } from "./testing/test-launchpad.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** The bytes of the agent's account for wrapped SOL, and for the token, that rent is paid for. */
const SOL_BYTES = 293n;
const TOKEN_BYTES = { spl: 293n, "token-2022": 298n };

describeMeteora("on Meteora's real programs", () => {
  describe.each(KINDS)("with $tokenStandard tokens and slots of $slotMs ms", (kind) => {
    const { tokenStandard, rentPerByte } = kind;
    const tokenProgram = tokenStandard === "spl" ? TOKEN_PROGRAM_ID : TOKEN_2022_PROGRAM_ID;
    const solRent = SOL_BYTES * rentPerByte;
    const tokenRent = TOKEN_BYTES[tokenStandard] * rentPerByte;
    let meteora: TestLaunchpad;

    beforeAll(async () => {
      meteora = await openLaunchpad(await openCluster(kind), {
        tokenStandard,
        creationLamports: 20_000_000n,
      });
    });

    function open(
      wallet = meteora.launchWallet,
      config = meteora.config,
      connection = meteora.cluster.connection,
    ): WholeLaunchpad {
      const program = programFor(meteora.cluster, wallet, config);
      return launchpadOn({ ...meteora, launchWallet: wallet, program }, { connection });
    }

    test("a launch takes five requests and a tick, a server's first one also the config, and is booked to the lamport", async () => {
      const launchpad = open();
      const { chain, calls } = meteora.cluster;
      const before = chain.getBalance(meteora.launchWallet.publicKey);
      await launchpad.probe();
      calls.clear();
      const book = new MemoryBook();
      const token = await launchpad.deploy(order(), new Journal(book), never);
      expect(Object.fromEntries(calls)).toEqual({
        // The config; mint, pool, wallet and rent; then wallet and rent.
        getMultipleAccounts: 3,
        simulateTransaction: 1,
        getRecentPrioritizationFees: 1,
        sendTransaction: 1,
        getSignatureStatuses: 1,
      });
      expect(before - chain.getBalance(meteora.launchWallet.publicKey)).toBe(book.spentToday());
      expect(chain.getAccount(token.poolAddress)).not.toBeNull();
      calls.clear();
      await launchpad.deploy(order(), new Journal(), never);
      expect(calls.get("getMultipleAccounts")).toBe(2);
    });

    test("a launch whose token exists under another config is refused, and finds it under that one", async () => {
      const launch = order();
      const token = await open().deploy(launch, new Journal(), never);
      const other = open(meteora.launchWallet, Keypair.generate().publicKey);
      const refused = other.deploy(launch, new Journal(), never);
      await expect(refused).rejects.toThrow(
        "on chain already, under a config other than the service's",
      );
      await expect(refused).rejects.toBeInstanceOf(LaunchRefusedError);
      expect(await open().deploy(launch, new Journal(), never)).toEqual(token);
    });

    test("a first buy that the curve cannot fill is refused in words, by the check and in step 1", async () => {
      const agent = meteora.cluster.wallet(1_000n * SOL);
      const firstBuy = { lamports: 900n * SOL, minUnits: 1n };
      const wallet = agent.publicKey.toBase58();
      const launch = { ...order(wallet), payer: "agent", firstBuy } as const;
      const refusal = {
        name: "BuildError",
        message: expect.stringContaining("the first buy is larger than the curve can fill"),
      };
      expect((await open().checkLaunch(launch)).refusal).toMatchObject(refusal);
      await expect(open().buildLaunch(launch)).rejects.toMatchObject(refusal);
    });

    test.each([0, 150, 1_400])(
      "a launch wallet with the rent of %d bytes postpones launches",
      async (bytes) => {
        const lamports = BigInt(bytes) * rentPerByte;
        const wallet = lamports > 0n ? meteora.cluster.wallet(lamports) : Keypair.generate();
        const deploying = open(wallet).deploy(order(), new Journal(), never);
        await expect(deploying).rejects.toBeInstanceOf(LaunchWalletError);
      },
    );

    /** A token with fees whose agent owns no SOL. */
    async function tokenOfPoorAgent() {
      const launchpad = open();
      const { chain, connection } = meteora.cluster;
      const agent = Keypair.generate();
      const wallet = agent.publicKey.toBase58();
      const trader = meteora.cluster.wallet(10n * SOL);
      const token = await launchpad.deploy(order(wallet), new Journal(), never);
      const pool = new PublicKey(token.poolAddress);
      return {
        launchpad,
        agent,
        wallet,
        token,
        trader,
        buySome: () => buy(connection, { pool, trader }, SOL),
        hold: (lamports: bigint) =>
          chain.setAccount(wallet, { lamports, owner: SystemProgram.programId }),
      };
    }

    const tokenAccountOf = (agent: Keypair, { tokenMint }: TokenRef) =>
      getAssociatedTokenAddressSync(new PublicKey(tokenMint), agent.publicKey, false, tokenProgram);

    test("lamports at the token account's address pay its rent, and no other's", async () => {
      const { launchpad, agent, wallet, token, buySome, hold } = await tokenOfPoorAgent();
      await buySome();
      meteora.cluster.chain.airdrop(tokenAccountOf(agent, token), 3_000_000n);
      const required = 5_000n + solRent;
      hold(required - 1n);
      await expect(launchpad.buildClaim(wallet, [token])).rejects.toMatchObject({ required });
      hold(required);
      expect(await launchpad.buildClaim(wallet, [token])).not.toBeNull();
    });

    test("an agent without SOL learns what a claim takes, and gets all but the fee back", async () => {
      const { launchpad, agent, wallet, token, buySome, hold } = await tokenOfPoorAgent();
      for (let claims = 0; claims < 2; claims++) {
        await buySome();
        const required = 5_000n + solRent + tokenRent;
        for (const balance of [0n, required - 1n]) {
          hold(balance);
          const building = launchpad.buildClaim(wallet, [token]);
          await expect(building).rejects.toBeInstanceOf(UnaffordableError);
          await expect(building).rejects.toMatchObject({ required, balance });
        }
        hold(required);
        const claim = await launchpad.buildClaim(wallet, [token]);
        if (!claim) throw new Error("there is something to claim");
        const { paidLamports } = await stepTwo(launchpad, signBy(agent, claim));
        expect(meteora.cluster.chain.getBalance(wallet)).toBe(required - 5_000n + paidLamports);
      }
    });

    /** A built claim; then another wallet makes the agent's token account and sends this much to it. */
    async function overtakenClaim(units: bigint) {
      const poor = await tokenOfPoorAgent();
      const { launchpad, agent, wallet, token, trader, buySome, hold } = poor;
      hold(SOL);
      await buySome();
      const claim = await launchpad.buildClaim(wallet, [token]);
      if (!claim) throw new Error("there is something to claim");
      const mint = new PublicKey(token.tokenMint);
      const account = tokenAccountOf(agent, token);
      const from = tokenAccountOf(trader, token);
      const { publicKey } = trader;
      await send(
        meteora.cluster.connection,
        [
          createAssociatedTokenAccountInstruction(
            publicKey,
            account,
            agent.publicKey,
            mint,
            tokenProgram,
          ),
          createTransferCheckedInstruction(
            from,
            mint,
            account,
            publicKey,
            units,
            6,
            [],
            tokenProgram,
          ),
        ],
        [trader],
      );
      return { ...poor, account, claim: signBy(agent, claim) };
    }

    test.each([
      ["before it is sent", false],
      ["on chain", true],
    ])(
      "a claim whose token account was filled after it was built fails %s, and the next one pays",
      async (_, mayBeUnderWay) => {
        const { launchpad, agent, wallet, token, account, claim } = await overtakenClaim(1n);
        const { chain } = meteora.cluster;
        const submitting = mayBeUnderWay
          ? launchpad.submit(claim, sentBefore(claim), never)
          : stepTwo(launchpad, claim);
        await expect(submitting).rejects.toBeInstanceOf(RefusedError);
        expect(chain.getBalance(wallet)).toBe(mayBeUnderWay ? SOL - 5_000n : SOL);
        const again = await launchpad.buildClaim(wallet, [token]);
        if (!again) throw new Error("there is something to claim");
        const before = chain.getBalance(wallet);
        const { paidLamports } = await stepTwo(launchpad, signBy(agent, again));
        expect(chain.getBalance(wallet) - before).toBe(paidLamports - 5_000n);
        expect(chain.getAccount(account)).not.toBeNull();
      },
    );

    test("a claim whose token account was made after it was built pays the rent to the agent", async () => {
      const { launchpad, wallet, account, claim } = await overtakenClaim(0n);
      const { paidLamports } = await stepTwo(launchpad, claim);
      expect(meteora.cluster.chain.getBalance(wallet)).toBe(
        SOL + paidLamports + tokenRent - 5_000n,
      );
      expect(meteora.cluster.chain.getAccount(account)).toBeNull();
    });
  });
});
