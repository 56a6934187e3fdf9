import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  createAssociatedTokenAccountInstruction,
  createSyncNativeInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import bs58 from "bs58";
import { explainTransaction } from "../../../../sdk/src/explain-transaction.ts";
import { openClaim, signGuarded, signMessage } from "../../../../test/support/assertions.ts";
import type { PaidReceiver, Receiver } from "../../domain/signing.ts";
import type { TokenRef } from "../../domain/token.ts";
import { sentBefore, unsent } from "../chain/testing/journal.ts";
import { never, SOL, type WholeLaunchpad } from "../chain/testing/test-launchpad.ts";
import {
  ExpiredError,
  FeesTakenError,
  NotAWalletError,
  ReceiverRentError,
  RefusedError,
  UnaffordableError,
} from "../errors.ts";
import { TOKEN_STANDARDS } from "../meteora/config-terms.ts";
import { openCluster } from "../meteora/testing/cluster.ts";
import { buy } from "../meteora/testing/curve-trades.ts";
import { launch, openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { send } from "../meteora/testing/send.ts";
import { traded, tradedAfterMigration } from "../meteora/testing/token-life.ts";
import type { UnsignedClaim } from "./claim.ts";
import { launchpadOn, signBy, stepTwo } from "./testing/steps.ts";

setDefaultTimeout(ON_CHAIN_MS);

const FEE = 5_000n;
const SPONSORED_FEE = 10_000n;
const SOL_RENT = 2_039_280n;
const WALLET_RENT = 890_880n;

/** Bytes of a claim with one receiver: of the curve's fees, and of both kinds. */
const BYTES = { spl: [727, 1_009], "token-2022": [759, 1_041] } as const;

const toLamports = ({ lamports }: PaidReceiver) => BigInt(lamports);

describeMeteora("a claim with receivers", () => {
  describe.each(TOKEN_STANDARDS)("of %s tokens", (tokenStandard) => {
    let meteora: TestLaunchpad;
    let launchpad: WholeLaunchpad;
    let trader: Keypair;

    beforeAll(async () => {
      meteora = await openLaunchpad(await openCluster(), { tokenStandard });
      trader = meteora.cluster.wallet(5_000n * SOL);
      launchpad = launchpadOn(meteora);
    });

    const hold = (address: PublicKey, lamports: bigint) =>
      meteora.cluster.chain.setAccount(address, { lamports, owner: SystemProgram.programId });
    const balanceOf = (address: PublicKey | string) => meteora.cluster.chain.getBalance(address);
    const solAccountOf = ({ publicKey }: Keypair) =>
      getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);

    async function owned(make = traded) {
      const { token, agent } = await make(meteora, trader);
      return { agent, tokens: [token.ref], pool: token.pool };
    }

    async function build(
      agent: Keypair,
      tokens: readonly TokenRef[],
      receivers: readonly Receiver[],
    ): Promise<UnsignedClaim> {
      const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), tokens, {
        receivers,
        maySponsor: async () => true,
      });
      if (!claim) throw new Error("there is something to claim");
      return claim;
    }

    /** The signed bytes of a message, and their name. */
    function named(message: Parameters<typeof signMessage>[0], agent: Keypair) {
      const transaction = signMessage(message, agent);
      return { transaction, signature: bs58.encode(transaction.subarray(1, 65)) };
    }

    const submit = (claim: UnsignedClaim, agent: Keypair) =>
      stepTwo(launchpad, signBy(agent, claim));

    /** Another wallet makes the agent's account for wrapped SOL, and sends lamports to it. */
    async function wrap(agent: Keypair, lamports: bigint) {
      const { publicKey } = trader;
      const account = solAccountOf(agent);
      await send(
        meteora.cluster.connection,
        [
          createAssociatedTokenAccountInstruction(publicKey, account, agent.publicKey, NATIVE_MINT),
          SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: account, lamports }),
          createSyncNativeInstruction(account),
        ],
        [trader],
      );
    }

    const wallets = (...shares: number[]): Receiver[] =>
      shares.map((share) => ({ address: Keypair.generate().publicKey.toBase58(), share }));
    const paidTo = (receivers: readonly Receiver[]) =>
      receivers.map(({ address }) => balanceOf(address));
    const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);

    test.each([
      ["a curve's fees", traded, 0],
      ["both kinds of fees", tradedAfterMigration, 1],
    ])(
      "of %s pays them to the lamport, and costs the agent the network fee",
      async (_, make, kind) => {
        const { agent, tokens } = await owned(make);
        const receivers = wallets(100);
        const before = balanceOf(agent.publicKey);
        const claim = await build(agent, tokens, receivers);
        expect(claim.transaction.length).toBe(BYTES[tokenStandard][kind] ?? 0);
        const { paidLamports } = await submit(claim, agent);
        expect(paidTo(receivers)).toEqual([paidLamports]);
        const { unknown, instructions } = await explainTransaction(claim.transaction);
        expect(unknown).toBe(0);
        expect(instructions.at(-1)?.text).toBe(
          `Transfers ${formatSol(paidLamports)} SOL from the fee payer to ${receivers[0]?.address}`,
        );
        expect(balanceOf(agent.publicKey)).toBe(before - FEE);
        expect(meteora.cluster.chain.getAccount(solAccountOf(agent))).toBeNull();
      },
    );

    test("pays five receivers by their shares, and the first the remainder", async () => {
      const { agent, tokens } = await owned();
      const receivers = wallets(33, 7, 20, 20, 20);
      const { paidLamports } = await submit(await build(agent, tokens, receivers), agent);
      const exact = receivers.map(({ share }) => (paidLamports * BigInt(share)) / 100n);
      const rest = paidLamports - sum(exact);
      expect(rest).toBeGreaterThan(0n);
      expect(paidTo(receivers)).toEqual([(exact[0] ?? 0n) + rest, ...exact.slice(1)]);
    });

    test("takes the richest fees alone if five receivers leave no room, and the others with the next", async () => {
      const { agent, tokens } = await owned(tradedAfterMigration);
      const receivers = wallets(20, 20, 20, 20, 20);
      const kinds: bigint[][] = [];
      let [paid, left] = [0n, 2];
      while (left-- > 0) {
        const claim = await build(agent, tokens, receivers);
        expect(signGuarded(claim.transaction, agent).length).toBeLessThanOrEqual(1_232);
        const { paidLamports, payouts } = await submit(claim, agent);
        paid += paidLamports;
        kinds.push(payouts.flatMap((it) => [it.bondingCurve, it.liquidityPool]));
      }
      expect(sum(paidTo(receivers))).toBe(paid);
      const [first = [], second = []] = kinds.map((amounts) => amounts.map((it) => it > 0n));
      expect(first).toEqual(second.map((isPaid) => !isPaid));
      expect(sum(kinds[0] ?? [])).toBeGreaterThan(sum(kinds[1] ?? []));
      const wallet = agent.publicKey.toBase58();
      expect(await launchpad.buildClaim(wallet, tokens, { receivers })).toBeNull();
    });

    test("of several tokens plans for its receivers, and for assertions of the wallet", async () => {
      const agent = meteora.cluster.wallet(SOL);
      const tokens: TokenRef[] = [];
      for (let number = 0; number < 3; number++) {
        const { ref, pool } = await launch(meteora, agent.publicKey);
        await buy(meteora.cluster.connection, { pool, trader }, SOL);
        tokens.push(ref);
      }
      expect((await build(agent, tokens, [])).tokens).toHaveLength(3);
      let left = tokens;
      for (const receivers of [wallets(100), wallets(20, 20, 20, 20, 20)]) {
        const claim = await build(agent, left, receivers);
        expect(claim.tokens).toEqual(left.slice(0, receivers.length === 1 ? 2 : 1));
        expect(signGuarded(claim.transaction, agent).length).toBeLessThanOrEqual(1_232);
        const { paidLamports } = await submit(claim, agent);
        expect(sum(paidTo(receivers))).toBe(paidLamports);
        left = left.slice(claim.tokens.length);
      }
    });

    test("leaves in the wallet what arrives until it lands", async () => {
      const { agent, tokens, pool } = await owned();
      const receivers = wallets(70, 30);
      const before = balanceOf(agent.publicKey);
      const claim = await build(agent, tokens, receivers);
      await buy(meteora.cluster.connection, { pool, trader }, SOL);
      const { paidLamports } = await submit(claim, agent);
      const paid = sum(paidTo(receivers));
      expect(paid).toBe(sum(claim.receivers.map(({ lamports }) => BigInt(lamports))));
      expect(balanceOf(agent.publicKey)).toBe(before - FEE + paidLamports - paid);
      expect(paidLamports - paid).toBe(8_000_000n);
    });

    test("leaves the agent its own share, and the SOL that it had wrapped", async () => {
      const { agent, tokens } = await owned();
      const receivers = [{ address: agent.publicKey.toBase58(), share: 60 }, ...wallets(40)];
      await wrap(agent, 3n * SOL);
      const before = balanceOf(agent.publicKey);
      const { paidLamports } = await submit(await build(agent, tokens, receivers), agent);
      const theirs = (paidLamports * 40n) / 100n;
      expect(balanceOf(receivers[1]?.address ?? "")).toBe(theirs);
      const wrapped = 3n * SOL + SOL_RENT;
      expect(balanceOf(agent.publicKey)).toBe(before - FEE + wrapped + paidLamports - theirs);
    });

    test("never pays out SOL that lies at the address of the account for wrapped SOL", async () => {
      const { agent, tokens } = await owned();
      const receivers = wallets(100);
      const before = balanceOf(agent.publicKey);
      meteora.cluster.chain.airdrop(solAccountOf(agent), SOL);
      const { paidLamports } = await submit(await build(agent, tokens, receivers), agent);
      expect(paidTo(receivers)).toEqual([paidLamports]);
      expect(balanceOf(agent.publicKey)).toBe(before - FEE + SOL);
    });

    test("is refused by the chain if it would take a lamport of the wallet's own", async () => {
      const { agent, tokens } = await owned();
      const [receiver] = wallets(100);
      const claim = await build(agent, tokens, receiver ? [receiver] : []);
      const { instructions, compile } = openClaim(claim.transaction);
      const [proof, , transfer] = instructions.slice(-3);
      for (const [instruction, at] of [
        [proof, 1],
        [transfer, 4],
      ] as const) {
        const { data } = instruction ?? { data: Buffer.alloc(0) };
        data.writeBigUInt64LE(data.readBigUInt64LE(at) + 1n, at);
      }
      const signed = { ...signBy(agent, claim), ...named(compile(instructions), agent) };
      const before = balanceOf(agent.publicKey);
      const submitted = stepTwo(launchpad, signed);
      await expect(submitted).rejects.toBeInstanceOf(ExpiredError);
      expect(balanceOf(agent.publicKey)).toBe(before);
    });

    test("that a program refuses for another reason is not outdated, whether it names a code or not", async () => {
      const { agent, tokens } = await owned();
      const claim = await build(agent, tokens, wallets(100));
      const { instructions, compile } = openClaim(claim.transaction);
      const transfer = instructions.at(-1);
      if (transfer) transfer.data = transfer.data.subarray(0, -1);
      const signed = { ...signBy(agent, claim), ...named(compile(instructions), agent) };
      const submitted = stepTwo(launchpad, signed);
      await expect(submitted).rejects.toThrow("invalid instruction data");
      await expect(submitted).rejects.toBeInstanceOf(RefusedError);
    });

    test("is outdated if the account for wrapped SOL was made, or fees were claimed, since it was built", async () => {
      const { agent, tokens, pool } = await owned();
      const receivers = wallets(100);
      const signed = signBy(agent, await build(agent, tokens, receivers));
      await wrap(agent, 0n);
      for (const journal of [unsent, sentBefore(signed)]) {
        const submitted = launchpad.submit(signed, journal, never);
        await expect(submitted).rejects.toBeInstanceOf(ExpiredError);
      }
      const next = signBy(agent, await build(agent, tokens, receivers));
      // This closes that account.
      await submit(await build(agent, tokens, []), agent);
      const taken = stepTwo(launchpad, next);
      await expect(taken).rejects.toBeInstanceOf(FeesTakenError);
      await buy(meteora.cluster.connection, { pool, trader }, SOL);
      const less = stepTwo(launchpad, next);
      await expect(less).rejects.toBeInstanceOf(ExpiredError);
      expect(paidTo(receivers)).toEqual([0n]);
    });

    test("that pays a new wallet too little is refused, with the wallet and the minimum", async () => {
      const { agent, tokens } = await owned();
      const receivers = wallets(99, 1);
      const [, poor] = receivers;
      const fees = sum((await build(agent, tokens, wallets(100))).receivers.map(toLamports));
      expect(fees / 100n).toBeLessThan(WALLET_RENT);
      const refused = build(agent, tokens, receivers);
      await expect(refused).rejects.toBeInstanceOf(ReceiverRentError);
      await expect(refused).rejects.toThrow(`${poor?.address} would get`);
      await expect(refused).rejects.toThrow("at least 0.00089088 SOL");
      // The minimum is the cluster's, which may change.
      meteora.cluster.chain.setRent(696n);
      await expect(build(agent, tokens, receivers)).resolves.toMatchObject({ tokens });
      meteora.cluster.chain.setRent(6_960n);
      hold(new PublicKey(poor?.address ?? ""), WALLET_RENT);
      const { paidLamports } = await submit(await build(agent, tokens, receivers), agent);
      expect(sum(paidTo(receivers))).toBe(paidLamports + WALLET_RENT);
    });

    test("pays only wallets", async () => {
      const { agent, tokens, pool } = await owned();
      const nonce = Keypair.generate().publicKey;
      const data = Buffer.alloc(80);
      const lamports = SOL;
      meteora.cluster.chain.setAccount(nonce, { lamports, owner: SystemProgram.programId, data });
      await wrap(agent, 1n);
      for (const address of [TOKEN_PROGRAM_ID, NATIVE_MINT, pool, nonce, solAccountOf(agent)]) {
        const receivers = [...wallets(50), { address: address.toBase58(), share: 50 }];
        const refused = build(agent, tokens, receivers);
        await expect(refused).rejects.toBeInstanceOf(NotAWalletError);
        await expect(refused).rejects.toMatchObject({ index: 1 });
      }
    });

    describe("if it is sponsored", () => {
      test("pays what the repayment and the wallet's minimum leave, and costs the sponsor nothing", async () => {
        for (const held of [0n, WALLET_RENT, WALLET_RENT + 7n]) {
          const { agent, tokens } = await owned();
          hold(agent.publicKey, held);
          const before = balanceOf(meteora.launchWallet.publicKey);
          const receivers = wallets(70, 30);
          const { paidLamports } = await submit(await build(agent, tokens, receivers), agent);
          const kept = held === 0n ? WALLET_RENT : 0n;
          expect(sum(paidTo(receivers))).toBe(paidLamports - SPONSORED_FEE - kept);
          expect(balanceOf(agent.publicKey)).toBe(held + kept);
          expect(balanceOf(meteora.launchWallet.publicKey)).toBe(before);
        }
      });

      test("lands although a trade pays the empty wallet a few lamports more", async () => {
        const { agent, tokens, pool } = await owned();
        hold(agent.publicKey, 0n);
        const receivers = wallets(100);
        const claim = await build(agent, tokens, receivers);
        await buy(meteora.cluster.connection, { pool, trader }, 100_000n);
        const { paidLamports } = await submit(claim, agent);
        const [paid = 0n] = paidTo(receivers);
        expect(balanceOf(agent.publicKey)).toBe(paidLamports - SPONSORED_FEE - paid);
        expect(balanceOf(agent.publicKey)).toBeGreaterThan(WALLET_RENT);
      });

      test("repays the rent of the account for wrapped SOL, although there was one", async () => {
        const { agent, tokens } = await owned();
        hold(agent.publicKey, 0n);
        await wrap(agent, SOL);
        const before = balanceOf(meteora.launchWallet.publicKey);
        const receivers = wallets(100);
        const claim = await build(agent, tokens, receivers);
        expect(claim.repaidLamports).toBe(SOL_RENT + SPONSORED_FEE);
        const { paidLamports } = await submit(claim, agent);
        expect(paidTo(receivers)).toEqual([paidLamports - SPONSORED_FEE]);
        expect(balanceOf(agent.publicKey)).toBe(SOL + SOL_RENT);
        expect(balanceOf(meteora.launchWallet.publicKey)).toBe(before);
      });

      test("is not offered if the repayment and the wallet's minimum leave nothing", async () => {
        const agent = Keypair.generate();
        const { ref, pool } = await launch(meteora, agent.publicKey);
        // The agent earns 0.8 % of a trade.
        await buy(meteora.cluster.connection, { pool, trader }, WALLET_RENT * 124n);
        const receivers = wallets(100);
        hold(new PublicKey(receivers[0]?.address ?? ""), WALLET_RENT);
        const refused = build(agent, [ref], receivers);
        await expect(refused).rejects.toBeInstanceOf(UnaffordableError);
      });
    });
  });
});
