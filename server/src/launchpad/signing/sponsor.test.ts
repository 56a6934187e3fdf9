import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  createAssociatedTokenAccountInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { Keypair, PublicKey, SystemProgram, VersionedTransaction } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import { sentBefore } from "../chain/testing/journal.ts";
import { never, SOL, type WholeLaunchpad, WIDE_LIMITS } from "../chain/testing/test-launchpad.ts";
import { ExpiredError, RefusedError, UnaffordableError } from "../errors.ts";
import { TOKEN_STANDARDS } from "../meteora/config-terms.ts";
import { openCluster } from "../meteora/testing/cluster.ts";
import { buy } from "../meteora/testing/curve-trades.ts";
import { launch, openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { send } from "../meteora/testing/send.ts";
import { traded, tradedAfterMigration } from "../meteora/testing/token-life.ts";
import { readable } from "../testing/readable.ts";
import type { UnsignedClaim } from "./claim.ts";
import { cosigned, launchpadOn, signBy, stepTwo } from "./testing/steps.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** What the network takes for two signatures, the rent of an account for SOL, and of a wallet. */
const FEE = 10_000n;
const SOL_RENT = 2_039_280n;
const WALLET_RENT = 890_880n;

/** Bytes of a claim of a curve's fees, and of both kinds. */
const BYTES = { spl: [775, 1_057], "token-2022": [807, 1_089] } as const;

describeMeteora("a sponsored claim", () => {
  describe.each(TOKEN_STANDARDS)("of %s tokens", (tokenStandard) => {
    const tokenProgram = tokenStandard === "spl" ? TOKEN_PROGRAM_ID : TOKEN_2022_PROGRAM_ID;
    let meteora: TestLaunchpad;
    let launchpad: WholeLaunchpad;
    let trader: Keypair;

    beforeAll(async () => {
      meteora = await openLaunchpad(await openCluster(), { tokenStandard });
      trader = meteora.cluster.wallet(5_000n * SOL);
      launchpad = open();
    });

    const open = (minWalletLamports = 0n) =>
      launchpadOn(meteora, { limits: { ...WIDE_LIMITS, minWalletLamports } });

    const hold = ({ publicKey }: Keypair, lamports: bigint) =>
      meteora.cluster.chain.setAccount(publicKey, { lamports, owner: SystemProgram.programId });

    const balanceOf = ({ publicKey }: Keypair) => meteora.cluster.chain.getBalance(publicKey);

    /** A token with fees, of an agent without SOL. */
    async function poor(make = traded) {
      const { token, agent } = await make(meteora, trader);
      hold(agent, 0n);
      return { agent, token: token.ref, pool: token.pool };
    }

    async function build(agent: Keypair, token: TokenRef, by = launchpad): Promise<UnsignedClaim> {
      const claim = await by.buildClaim(agent.publicKey.toBase58(), [token], {
        maySponsor: async () => true,
      });
      if (!claim) throw new Error("there is something to claim");
      return claim;
    }

    const claimAll = async (agent: Keypair, token: TokenRef) =>
      stepTwo(launchpad, signBy(agent, await build(agent, token)));

    const accountOf = ({ publicKey }: Keypair, { tokenMint }: TokenRef) =>
      getAssociatedTokenAddressSync(new PublicKey(tokenMint), publicKey, false, tokenProgram);
    const solAccountOf = ({ publicKey }: Keypair) =>
      getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);

    test.each([
      ["a curve's fees", traded, 0],
      ["both kinds of fees", tradedAfterMigration, 1],
    ])("of %s costs the agent the network fee, and its sponsor nothing", async (_, make, kinds) => {
      const { agent, token } = await poor(make);
      const before = balanceOf(meteora.launchWallet);
      const claim = await build(agent, token);
      expect(claim.repaidLamports).toBe(SOL_RENT + FEE);
      expect(claim.transaction.length).toBeLessThanOrEqual(BYTES[tokenStandard][kinds] ?? 0);
      const signed = await cosigned(launchpad, signBy(agent, claim));
      const { paidLamports, payouts, signature } = await stepTwo(launchpad, signed);
      expect(balanceOf(agent)).toBe(paidLamports - FEE);
      const [payout] = payouts ?? [];
      expect(payouts).toHaveLength(1);
      expect((payout?.bondingCurve ?? 0n) + (payout?.liquidityPool ?? 0n)).toBe(paidLamports);
      expect(balanceOf(meteora.launchWallet)).toBe(before);
      const landed = meteora.cluster.chain.getTransaction(signature);
      expect(Buffer.from(landed?.bytes ?? [])).toEqual(Buffer.from(signed.transaction));
      for (const account of [accountOf(agent, token), solAccountOf(agent)]) {
        expect(meteora.cluster.chain.getAccount(account)).toBeNull();
      }
    });

    test("is not offered to a wallet that can pay, nor without leave", async () => {
      const { agent, token } = await poor();
      const wallet = agent.publicKey.toBase58();
      await expect(launchpad.buildClaim(wallet, [token])).rejects.toBeInstanceOf(UnaffordableError);
      hold(agent, SOL);
      const claim = await build(agent, token);
      expect(claim.repaidLamports).toBeNull();
      const { message } = VersionedTransaction.deserialize(claim.transaction);
      expect(message.staticAccountKeys[0]?.toBase58()).toBe(wallet);
      expect(message.header.numRequiredSignatures).toBe(1);
    });

    test("leaves a wallet with some SOL what it holds", async () => {
      const { agent, token } = await poor();
      hold(agent, WALLET_RENT + 1n);
      const { paidLamports } = await claimAll(agent, token);
      expect(balanceOf(agent)).toBe(WALLET_RENT + 1n + paidLamports - FEE);
    });

    test("is refused if the fees do not cover what it repays and what a wallet must hold", async () => {
      const agent = Keypair.generate();
      const { ref, pool } = await launch(meteora, agent.publicKey);
      const earn = (lamports: bigint) =>
        buy(meteora.cluster.connection, { pool, trader }, lamports);
      const claimable = async () => {
        const fees = await launchpad.readFees(agent.publicKey.toBase58(), [ref]);
        return readable(fees)[0]?.bondingCurve.claimable ?? 0n;
      };
      // The agent earns 0.8 % of a trade.
      await earn((WALLET_RENT + FEE) * 124n);
      expect(await claimable()).toBeLessThan(WALLET_RENT + FEE);
      await expect(build(agent, ref)).rejects.toBeInstanceOf(UnaffordableError);
      await earn((WALLET_RENT + FEE) * 2n);
      expect(await claimable()).toBeGreaterThan(WALLET_RENT + FEE);
      await claimAll(agent, ref);
      expect(balanceOf(agent)).toBeGreaterThanOrEqual(WALLET_RENT);
    });

    test("is not offered by a wallet under its floor", async () => {
      const { agent, token } = await poor();
      const poorSponsor = open(balanceOf(meteora.launchWallet) + 1n);
      await expect(build(agent, token, poorSponsor)).rejects.toBeInstanceOf(UnaffordableError);
    });

    /** Another wallet makes an account of the agent's, and sends this many tokens to it. */
    async function fill(agent: Keypair, token: TokenRef, account: PublicKey, units: bigint) {
      const isSol = account.equals(solAccountOf(agent));
      const mint = isSol ? NATIVE_MINT : new PublicKey(token.tokenMint);
      const program = isSol ? TOKEN_PROGRAM_ID : tokenProgram;
      const { publicKey } = trader;
      const make = createAssociatedTokenAccountInstruction(
        publicKey,
        account,
        agent.publicKey,
        mint,
        program,
      );
      const from = accountOf(trader, token);
      const give = isSol
        ? [
            SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: account, lamports: units }),
            createSyncNativeInstruction(account),
          ]
        : [createTransferCheckedInstruction(from, mint, account, publicKey, units, 6, [], program)];
      await send(meteora.cluster.connection, [make, ...give], [trader]);
    }

    test("repays the network fee alone if the agent's accounts were there before", async () => {
      const { agent, token } = await poor();
      await fill(agent, token, accountOf(agent, token), 7n);
      await fill(agent, token, solAccountOf(agent), 1_000n);
      const tokens = meteora.cluster.chain.getAccount(accountOf(agent, token));
      const before = balanceOf(meteora.launchWallet);
      expect((await build(agent, token)).repaidLamports).toBe(FEE);
      const { paidLamports } = await claimAll(agent, token);
      // The account for SOL is unwrapped: its rent and what it held were the agent's.
      expect(balanceOf(agent)).toBe(paidLamports + SOL_RENT + 1_000n - FEE);
      expect(balanceOf(meteora.launchWallet)).toBe(before);
      expect(meteora.cluster.chain.getAccount(accountOf(agent, token))).toEqual(tokens);
    });

    test("repays only what the sponsor paid if the account's address holds SOL", async () => {
      const { agent, token } = await poor();
      meteora.cluster.chain.airdrop(solAccountOf(agent), 1_000_000n);
      const before = balanceOf(meteora.launchWallet);
      expect((await build(agent, token)).repaidLamports).toBe(SOL_RENT - 1_000_000n + FEE);
      const { paidLamports } = await claimAll(agent, token);
      expect(balanceOf(agent)).toBe(paidLamports + 1_000_000n - FEE);
      expect(balanceOf(meteora.launchWallet)).toBe(before);
    });

    test.each([
      ["token", 1n],
      ["SOL", 0n],
    ])(
      "costs its sponsor the network fee only if it was sent before another wallet made the %s account",
      async (which, units) => {
        const { agent, token } = await poor();
        const own = signBy(agent, await build(agent, token));
        const signed = await cosigned(launchpad, own);
        const account = which === "SOL" ? solAccountOf(agent) : accountOf(agent, token);
        await fill(agent, token, account, units);
        const before = balanceOf(meteora.launchWallet);
        const refused = stepTwo(launchpad, own);
        await expect(refused).rejects.toBeInstanceOf(RefusedError);
        expect(balanceOf(meteora.launchWallet)).toBe(before);
        const failed = launchpad.submit(signed, sentBefore(signed), never);
        await expect(failed).rejects.toBeInstanceOf(RefusedError);
        expect(balanceOf(meteora.launchWallet)).toBe(before - FEE);
        expect(balanceOf(agent)).toBe(0n);
        await claimAll(agent, token);
        expect(balanceOf(meteora.launchWallet)).toBe(before - FEE);
      },
    );

    test("is outdated if the fees were claimed after it was built", async () => {
      const { agent, token } = await poor();
      const [first, second] = [await build(agent, token), await build(agent, token)];
      await stepTwo(launchpad, signBy(agent, first));
      hold(agent, 0n);
      const again = stepTwo(launchpad, signBy(agent, second));
      await expect(again).rejects.toBeInstanceOf(ExpiredError);
      await expect(again).rejects.toThrow("The fees no longer cover");
    });
  });
});
