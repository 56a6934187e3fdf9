import { beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomUUID } from "node:crypto";
import {
  createAssociatedTokenAccountInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import { readMessage, splitTransaction } from "@tokenctl/shared/wire-transaction";
import type { LaunchPayer } from "@tokenctl/shared/words";
import bs58 from "bs58";
import { explainTransaction } from "../../../../sdk/src/explain-transaction.ts";
import { openClaim, signGuarded, signMessage } from "../../../../test/support/assertions.ts";
import { systemClock } from "../../base/clock.ts";
import { generateKeypair } from "../../base/native-keys.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../../domain/cluster-pace.ts";
import type { Receiver, Signed, TokenPayout } from "../../domain/signing.ts";
import type { TokenRef } from "../../domain/token.ts";
import { keypairSigner } from "../../solana/wallet-signer.ts";
import { Collector } from "../chain/collector.ts";
import { Journal, MemoryBook, sentBefore, unsent } from "../chain/testing/journal.ts";
import { never, SOL, type WholeLaunchpad, WIDE_LIMITS } from "../chain/testing/test-launchpad.ts";
import {
  ExpiredError,
  FailedLaunchError,
  NotAWalletError,
  RefusedError,
  UnaffordableError,
} from "../errors.ts";
import { meteoraPartner } from "../meteora/collect.ts";
import { openCluster, type TimedCluster } from "../meteora/testing/cluster.ts";
import { launch, openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { send } from "../meteora/testing/send.ts";
import { buy, traded, tradedAfterMigration } from "../meteora/testing/trades.ts";
import { readable } from "../testing/readable.ts";
import type { UnsignedClaim } from "./claim.ts";
import type { BuildClaimOptions } from "./signing.ts";
import { cosigned, launchpadOn, signBy, stepTwo } from "./testing/steps.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** The rent of an account for SOL, and of a wallet. */
const SOL_RENT = 2_039_280n;
const WALLET_RENT = 890_880n;

/**
 * A market for each token program and version of transactions. The lamports of a signature are no
 * figure that code contains. The bytes are of a claim of a curve's fees, and of both kinds.
 */
const MARKETS = [
  {
    tokenStandard: "spl",
    version: 1,
    fee: 2_500n,
    creatorShare: 50,
    paying: [706, 989],
    sponsored: [753, 1_036],
  },
  {
    tokenStandard: "token-2022",
    version: "legacy",
    fee: 7_013n,
    creatorShare: 100,
    paying: [759, 1_041],
    sponsored: [807, 1_089],
  },
] as const;
/** How many tokens with only fees of their curve fit into one claim. */
const FITTING = 3;

async function buildBy(
  launchpad: WholeLaunchpad,
  agent: Keypair,
  tokens: readonly TokenRef[],
  options: BuildClaimOptions = {},
): Promise<UnsignedClaim> {
  const wallet = agent.publicKey.toBase58();
  const claim = await launchpad.buildClaim(wallet, tokens, {
    maySponsor: async () => true,
    ...options,
  });
  if (!claim) throw new Error("there is something to claim");
  return claim;
}

describeMeteora("on Meteora's programs", () => {
  describe.each(MARKETS)("of $tokenStandard tokens", (market) => {
    const { tokenStandard, creatorShare, version, fee } = market;
    const sponsoredFee = 2n * fee;
    const tokenProgram = tokenStandard === "spl" ? TOKEN_PROGRAM_ID : TOKEN_2022_PROGRAM_ID;
    let meteora: TestLaunchpad;
    let launchpad: WholeLaunchpad;
    let trader: Keypair;

    beforeAll(async () => {
      const cluster = await openCluster({ lamportsPerSignature: fee });
      meteora = await openLaunchpad(cluster, { tokenStandard, creatorShare });
      trader = meteora.cluster.wallet(5_000n * SOL);
      launchpad = launchpadOn(meteora);
    });

    type Wallet = Keypair | PublicKey | string;
    const addressOf = (wallet: Wallet) =>
      new PublicKey(
        typeof wallet === "object" && "publicKey" in wallet ? wallet.publicKey : wallet,
      );
    const hold = (wallet: Wallet, lamports: bigint) =>
      meteora.cluster.chain.setAccount(addressOf(wallet), {
        lamports,
        owner: SystemProgram.programId,
      });
    const balanceOf = (wallet: Wallet) => meteora.cluster.chain.getBalance(addressOf(wallet));
    const accountOf = ({ publicKey }: Keypair, { tokenMint }: TokenRef) =>
      getAssociatedTokenAddressSync(new PublicKey(tokenMint), publicKey, false, tokenProgram);
    const solAccountOf = ({ publicKey }: Keypair) =>
      getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);

    async function owned(make = traded) {
      const { token, agent } = await make(meteora, trader);
      return { agent, token: token.ref, tokens: [token.ref], pool: token.pool };
    }

    /** A token with fees, of an agent without SOL. */
    async function poor(make = traded) {
      const made = await owned(make);
      hold(made.agent, 0n);
      return made;
    }

    async function build(
      agent: Keypair,
      tokens: readonly TokenRef[],
      receivers: readonly Receiver[] = [],
      by = launchpad,
    ) {
      const options = { receivers, transactionVersion: version };
      return buildBy(by, agent, tokens, options);
    }

    /** The signed bytes of a message, and their name. */
    function named(message: Parameters<typeof signMessage>[0], agent: Keypair) {
      const transaction = signMessage(message, agent);
      return { transaction, signature: bs58.encode(transaction.subarray(1, 65)) };
    }

    const submit = (claim: UnsignedClaim, agent: Keypair) =>
      stepTwo(launchpad, signBy(agent, claim));

    /** Another wallet makes an account of the agent's, and sends this many tokens to it. */
    async function fill(agent: Keypair, account: PublicKey, units: bigint, token?: TokenRef) {
      const mint = token ? new PublicKey(token.tokenMint) : NATIVE_MINT;
      const program = token ? tokenProgram : TOKEN_PROGRAM_ID;
      const { publicKey } = trader;
      const from = token && accountOf(trader, token);
      const give = from
        ? [createTransferCheckedInstruction(from, mint, account, publicKey, units, 6, [], program)]
        : [
            SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: account, lamports: units }),
            createSyncNativeInstruction(account),
          ];
      const make = createAssociatedTokenAccountInstruction(
        ...([publicKey, account, agent.publicKey, mint, program] as const),
      );
      await send(meteora.cluster.connection, [make, ...give], [trader]);
    }
    const wrap = (agent: Keypair, lamports: bigint) => fill(agent, solAccountOf(agent), lamports);

    const wallets = (...shares: number[]): Receiver[] =>
      shares.map((share) => ({ address: Keypair.generate().publicKey.toBase58(), share }));
    const paidTo = (receivers: readonly Receiver[]) =>
      receivers.map(({ address }) => balanceOf(address));
    const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);

    /** An agent's tokens; the nth was bought for n SOL. */
    async function tokensOf(agent: Keypair, count: number): Promise<TokenRef[]> {
      const tokens: TokenRef[] = [];
      for (let number = 1; number <= count; number++) {
        const { ref, pool } = await launch(meteora, agent.publicKey);
        await buy(meteora.cluster.connection, { pool, trader }, BigInt(number) * SOL);
        tokens.push(ref);
      }
      return tokens;
    }

    async function feesOf(agent: Keypair, tokens: readonly TokenRef[]): Promise<TokenPayout[]> {
      const fees = readable(await launchpad.readFees(agent.publicKey.toBase58(), tokens));
      return tokens.map(({ tokenMint }, index) => ({
        tokenMint,
        bondingCurve: fees[index]?.bondingCurve.claimable ?? 0n,
        liquidityPool: fees[index]?.liquidityPool.claimable ?? 0n,
      }));
    }

    async function claimable(agent: Keypair, tokens: readonly TokenRef[]): Promise<bigint> {
      return sum((await feesOf(agent, tokens)).map(({ bondingCurve }) => bondingCurve));
    }

    test.each([
      ["a curve's fees", traded, 0],
      ["both kinds of fees", tradedAfterMigration, 1],
    ] as const)(
      "a claim of %s pays its receiver to the lamport, and costs the agent the network fee",
      async (_, make, kind) => {
        const { agent, tokens } = await owned(make);
        const receivers = wallets(100);
        const before = balanceOf(agent);
        const claim = await build(agent, tokens, receivers);
        expect(claim.transaction.length).toBe(market.paying[kind]);
        const { paidLamports } = await submit(claim, agent);
        expect(paidTo(receivers)).toEqual([paidLamports]);
        const { unknown, instructions } = await explainTransaction(claim.transaction);
        expect(unknown).toBe(0);
        expect(instructions.at(-1)?.text).toBe(
          `Transfers ${formatSol(paidLamports)} SOL from the fee payer to ${receivers[0]?.address}`,
        );
        expect(balanceOf(agent)).toBe(before - fee);
        expect(meteora.cluster.chain.getAccount(solAccountOf(agent))).toBeNull();
      },
    );

    test.each([
      ["a curve's fees", traded, 0, 0n],
      ["both kinds of fees", tradedAfterMigration, 1, WALLET_RENT + 1n],
    ] as const)(
      "a sponsored claim of %s costs the agent the network fee, and its sponsor nothing",
      async (_, make, kind, held) => {
        const { agent, token } = await poor(make);
        hold(agent, held);
        const before = balanceOf(meteora.launchWallet);
        const claim = await build(agent, [token]);
        expect(claim.repaidLamports).toBe(SOL_RENT + sponsoredFee);
        expect(claim.transaction.length).toBeLessThanOrEqual(market.sponsored[kind]);
        const signed = await cosigned(launchpad, signBy(agent, claim));
        const { paidLamports, payouts, signature } = await stepTwo(launchpad, signed);
        expect(balanceOf(agent)).toBe(held + paidLamports - sponsoredFee);
        const [payout] = payouts ?? [];
        expect(payouts).toHaveLength(1);
        expect((payout?.bondingCurve ?? 0n) + (payout?.liquidityPool ?? 0n)).toBe(paidLamports);
        expect(balanceOf(meteora.launchWallet)).toBe(before);
        const landed = meteora.cluster.chain.getTransaction(signature);
        expect(Buffer.from(landed?.bytes ?? [])).toEqual(Buffer.from(signed.transaction));
        for (const account of [accountOf(agent, token), solAccountOf(agent)]) {
          expect(meteora.cluster.chain.getAccount(account)).toBeNull();
        }
      },
    );

    test.each([
      ["token", 1n],
      ["SOL", 0n],
    ])(
      "a sponsored claim costs its sponsor the network fee only if it was sent before another wallet made the %s account",
      async (which, units) => {
        const { agent, token } = await poor();
        const own = signBy(agent, await build(agent, [token]));
        const signed = await cosigned(launchpad, own);
        const account = which === "SOL" ? solAccountOf(agent) : accountOf(agent, token);
        await fill(agent, account, units, which === "token" ? token : undefined);
        const before = balanceOf(meteora.launchWallet);
        const refused = stepTwo(launchpad, own);
        await expect(refused).rejects.toBeInstanceOf(RefusedError);
        expect(balanceOf(meteora.launchWallet)).toBe(before);
        const failed = launchpad.submit(signed, sentBefore(signed), never);
        await expect(failed).rejects.toBeInstanceOf(RefusedError);
        expect(balanceOf(meteora.launchWallet)).toBe(before - sponsoredFee);
        expect(balanceOf(agent)).toBe(0n);
        await submit(await build(agent, [token]), agent);
        expect(balanceOf(meteora.launchWallet)).toBe(before - sponsoredFee);
      },
    );

    /** Submits as the service does, but does not check before whether it would succeed. */
    const submitUnchecked = async (signed: Signed) =>
      launchpad.submit(await cosigned(launchpad, signed), unsent, never);

    const newLaunch = (agent: Keypair, payer: LaunchPayer) => {
      const order = { eventId: randomUUID(), wallet: agent.publicKey.toBase58(), payer };
      return { ...order, name: "Agent Coin", ticker: "AGENT" };
    };

    test("an agent's launch takes what it was told", async () => {
      const agent = meteora.cluster.wallet(SOL);
      const order = newLaunch(agent, "agent");
      const { cost, token, ...unsigned } = await launchpad.buildLaunch(order, version);
      const { message } = splitTransaction(unsigned.transaction);
      expect(readMessage(message).version).toBe(version);
      expect(cost.networkFee).toBe(2n * fee);
      const before = balanceOf(agent);
      await submitUnchecked(signBy(agent, unsigned, { kind: "launch", tokens: [token], order }));
      const { rent, networkFee, creationFee } = cost;
      expect(before - balanceOf(agent)).toBe(rent + networkFee + creationFee);
    });

    test("a launch that failed on chain took from its agent what the record says", async () => {
      const agent = meteora.cluster.wallet(SOL);
      const order = newLaunch(agent, "agent");
      const { token, ...unsigned } = await launchpad.buildLaunch(order, version);
      hold(agent, 5_000_000n);
      const sent = submitUnchecked(
        signBy(agent, unsigned, { kind: "launch", tokens: [token], order }),
      );
      const failed = await sent.catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(FailedLaunchError);
      const { agentLamports } = failed as FailedLaunchError;
      expect(agentLamports).toBe(2n * fee);
      expect(balanceOf(agent)).toBe(5_000_000n - agentLamports);
    });

    test("a hand-over costs what it was said to cost", async () => {
      const { agent, token } = await traded(meteora, trader);
      const to = generateKeypair().publicKey.toBase58();
      const order = { agent: agent.publicKey.toBase58(), token: token.ref, to };
      const unsigned = await launchpad.buildHandOver({ ...order, transactionVersion: version });
      expect(unsigned).toMatchObject({ networkFee: fee, rent: 0n });
      const before = balanceOf(agent);
      await submitUnchecked(signBy(agent, unsigned, { kind: "hand_over", tokens: [token.ref] }));
      expect(before - balanceOf(agent)).toBe(fee);
    });

    test("an operator's launch costs what is booked for it", async () => {
      const order = newLaunch(generateKeypair(), "operator");
      const book = new MemoryBook();
      const before = balanceOf(meteora.launchWallet);
      await launchpad.deploy(order, new Journal(book), never);
      expect(before - balanceOf(meteora.launchWallet)).toBe(book.spentToday());
    });

    // Of the first market, the partner gets a part. Nothing of what follows depends on the token program.
    if (tokenStandard === "spl") {
      test("a collection costs what the ledger says", async () => {
        const { token } = await traded(meteora, trader);
        const collector = new Collector({
          connection: meteora.cluster.connection,
          wallet: keypairSigner(meteora.launchWallet),
          program: meteoraPartner(meteora.cluster.connection, meteora.launchWallet.publicKey),
          clock: systemClock,
          ledger: { record: async () => null, end: async () => {} },
          feeCaps: WIDE_LIMITS,
          confirmer: { tickMs: 1 },
        });
        const before = balanceOf(meteora.launchWallet);
        const found = await collector.collect([token.ref], never);
        if (found.kind !== "ended" || found.end.status !== "confirmed") throw new Error(found.kind);
        const { feeLamports, paidLamports } = found.end;
        expect(feeLamports).toBe(fee);
        expect(balanceOf(meteora.launchWallet)).toBe(before + paidLamports - fee);
      });
      return;
    }
    // Nothing of what follows depends on the token program.
    if (tokenStandard !== "token-2022") return;

    describe("a claim with receivers", () => {
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
        const tokens = await tokensOf(agent, 3);
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
        const before = balanceOf(agent);
        const claim = await build(agent, tokens, receivers);
        await buy(meteora.cluster.connection, { pool, trader }, SOL);
        const { paidLamports } = await submit(claim, agent);
        const paid = sum(paidTo(receivers));
        expect(paid).toBe(sum(claim.receivers.map(({ lamports }) => BigInt(lamports))));
        expect(balanceOf(agent)).toBe(before - fee + paidLamports - paid);
        expect(paidLamports - paid).toBe(8_000_000n);
      });

      test("leaves the agent its own share, and the SOL that it had wrapped", async () => {
        const { agent, tokens } = await owned();
        const receivers = [{ address: agent.publicKey.toBase58(), share: 60 }, ...wallets(40)];
        await wrap(agent, 3n * SOL);
        const before = balanceOf(agent);
        const { paidLamports } = await submit(await build(agent, tokens, receivers), agent);
        const theirs = (paidLamports * 40n) / 100n;
        expect(balanceOf(receivers[1]?.address ?? "")).toBe(theirs);
        const wrapped = 3n * SOL + SOL_RENT;
        expect(balanceOf(agent)).toBe(before - fee + wrapped + paidLamports - theirs);
      });

      test("never pays out SOL that lies at the address of the account for wrapped SOL", async () => {
        const { agent, tokens } = await owned();
        const receivers = wallets(100);
        const before = balanceOf(agent);
        meteora.cluster.chain.airdrop(solAccountOf(agent), SOL);
        const { paidLamports } = await submit(await build(agent, tokens, receivers), agent);
        expect(paidTo(receivers)).toEqual([paidLamports]);
        expect(balanceOf(agent)).toBe(before - fee + SOL);
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
        const before = balanceOf(agent);
        const submitted = stepTwo(launchpad, signed);
        await expect(submitted).rejects.toBeInstanceOf(RefusedError);
        expect(balanceOf(agent)).toBe(before);
      });

      test("pays only wallets", async () => {
        const { agent, tokens, pool } = await owned();
        const nonce = Keypair.generate().publicKey;
        const data = Buffer.alloc(80);
        const lamports = SOL;
        meteora.cluster.chain.setAccount(nonce, {
          lamports,
          owner: SystemProgram.programId,
          data,
        });
        for (const address of [TOKEN_PROGRAM_ID, NATIVE_MINT, pool, nonce, solAccountOf(agent)]) {
          const receivers = [...wallets(50), { address: address.toBase58(), share: 50 }];
          const refused = build(agent, tokens, receivers);
          await expect(refused).rejects.toBeInstanceOf(NotAWalletError);
          await expect(refused).rejects.toMatchObject({ field: "receivers/1/address" });
        }
      });

      test("has no sponsor", async () => {
        const { agent, tokens } = await owned();
        hold(agent, 0n);
        const building = build(agent, tokens, wallets(100));
        await expect(building).rejects.toBeInstanceOf(UnaffordableError);
        expect((await build(agent, tokens, [])).repaidLamports).toBeGreaterThan(0n);
      });
    });

    describe("a sponsored claim", () => {
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
        await earn((WALLET_RENT + sponsoredFee) * 124n);
        expect(await claimable()).toBeLessThan(WALLET_RENT + sponsoredFee);
        await expect(build(agent, [ref])).rejects.toBeInstanceOf(UnaffordableError);
        await earn((WALLET_RENT + sponsoredFee) * 2n);
        expect(await claimable()).toBeGreaterThan(WALLET_RENT + sponsoredFee);
        await submit(await build(agent, [ref]), agent);
        expect(balanceOf(agent)).toBeGreaterThanOrEqual(WALLET_RENT);
      });

      test("is not offered by a wallet under its floor", async () => {
        const { agent, token } = await poor();
        const minWalletLamports = balanceOf(meteora.launchWallet) + 1n;
        const poorSponsor = launchpadOn(meteora, {
          limits: { ...WIDE_LIMITS, minWalletLamports },
        });
        await expect(build(agent, [token], [], poorSponsor)).rejects.toBeInstanceOf(
          UnaffordableError,
        );
      });

      test("repays the network fee alone if the agent's accounts were there before", async () => {
        const { agent, token } = await poor();
        await fill(agent, accountOf(agent, token), 7n, token);
        await wrap(agent, 1_000n);
        const tokens = meteora.cluster.chain.getAccount(accountOf(agent, token));
        const before = balanceOf(meteora.launchWallet);
        expect((await build(agent, [token])).repaidLamports).toBe(sponsoredFee);
        const { paidLamports } = await submit(await build(agent, [token]), agent);
        // The account for SOL is unwrapped: its rent and what it held were the agent's.
        expect(balanceOf(agent)).toBe(paidLamports + SOL_RENT + 1_000n - sponsoredFee);
        expect(balanceOf(meteora.launchWallet)).toBe(before);
        expect(meteora.cluster.chain.getAccount(accountOf(agent, token))).toEqual(tokens);
      });

      test("repays only what the sponsor paid if the account's address holds SOL", async () => {
        const { agent, token } = await poor();
        meteora.cluster.chain.airdrop(solAccountOf(agent), 1_000_000n);
        const before = balanceOf(meteora.launchWallet);
        expect((await build(agent, [token])).repaidLamports).toBe(
          SOL_RENT - 1_000_000n + sponsoredFee,
        );
        const { paidLamports } = await submit(await build(agent, [token]), agent);
        expect(balanceOf(agent)).toBe(paidLamports + 1_000_000n - sponsoredFee);
        expect(balanceOf(meteora.launchWallet)).toBe(before);
      });

      test("is outdated if the fees were claimed after it was built", async () => {
        const { agent, token } = await poor();
        const [first, second] = [await build(agent, [token]), await build(agent, [token])];
        await stepTwo(launchpad, signBy(agent, first));
        hold(agent, 0n);
        const again = stepTwo(launchpad, signBy(agent, second));
        await expect(again).rejects.toBeInstanceOf(ExpiredError);
        await expect(again).rejects.toThrow("The fees no longer cover");
      });
    });

    describe("a claim of many tokens", () => {
      test("takes as many as fit, for one network fee, and the others with the next", async () => {
        const agent = meteora.cluster.wallet(SOL);
        const tokens = await tokensOf(agent, FITTING + 1);
        const { calls } = meteora.cluster;
        calls.clear();
        const first = await build(agent, tokens);
        expect(Object.fromEntries(calls)).toMatchObject({
          getMultipleAccounts: 1,
          simulateTransaction: 1,
        });
        expect(first.tokens).toEqual(tokens.slice(0, FITTING));
        expect(first.transaction.length).toBeLessThanOrEqual(1_232);
        for (const [claim, taken] of [
          [first, tokens.slice(0, FITTING)],
          [await build(agent, tokens.slice(FITTING)), tokens.slice(FITTING)],
        ] as const) {
          const expected = await claimable(agent, taken);
          const before = balanceOf(agent);
          const fees = await feesOf(agent, taken);
          const { paidLamports, payouts } = await submit(claim, agent);
          expect(paidLamports).toBe(expected);
          expect(payouts ?? []).toEqual(fees);
          expect(balanceOf(agent) - before).toBe(expected - fee);
        }
        expect(await claimable(agent, tokens)).toBe(0n);
        expect(await launchpad.buildClaim(agent.publicKey.toBase58(), tokens)).toBeNull();
      });

      test("leaves out tokens without fees, of others, and that cannot be read", async () => {
        const [agent, other] = [meteora.cluster.wallet(SOL), meteora.cluster.wallet(SOL)];
        const [mine, foreign] = [await tokensOf(agent, 1), await tokensOf(other, 1)];
        const { ref: untraded } = await launch(meteora, agent.publicKey);
        const missing: TokenRef = {
          tokenMint: Keypair.generate().publicKey.toBase58(),
          poolAddress: Keypair.generate().publicKey.toBase58(),
        };
        const claim = await build(agent, [missing, ...foreign, untraded, ...mine]);
        expect(claim.tokens).toEqual(mine);
        await submit(claim, agent);
        expect(await claimable(other, foreign)).toBeGreaterThan(0n);
        await expect(build(agent, [missing])).rejects.toThrow("was not found");
      });

      test("of tokens before and after migration records both kinds of each, to the lamport", async () => {
        const { agent, token } = await tradedAfterMigration(meteora, trader);
        const tokens = [...(await tokensOf(agent, 1)), token.ref];
        const claim = await build(agent, tokens);
        expect(claim.tokens).toEqual(tokens);
        const fees = await feesOf(agent, tokens);
        expect(fees[0]).toMatchObject({ liquidityPool: 0n });
        expect(fees[1]?.bondingCurve).toBeGreaterThan(0n);
        expect(fees[1]?.liquidityPool).toBeGreaterThan(0n);
        const { paidLamports, payouts } = await submit(claim, agent);
        expect(payouts ?? []).toEqual(fees);
        expect(paidLamports).toBe(sum(fees.flatMap((of) => [of.bondingCurve, of.liquidityPool])));
      });
    });
  });
});

const FINALIZED_AFTER_BLOCKS = 32;

describeMeteora("a claim", () => {
  type Life = [kind: "own" | "sponsored", latencyMs: number, seconds: number];
  describe.each<{ slotMs: number; lives: Life[] }>([
    {
      slotMs: 400,
      lives: [
        ["own", 0, 58],
        ["sponsored", 2_000, 48],
      ],
    },
    {
      slotMs: 200,
      lives: [
        ["sponsored", 0, 29],
        ["own", 2_000, 19],
      ],
    },
  ])("with slots of $slotMs ms", ({ slotMs, lives }) => {
    let cluster: TimedCluster;
    let meteora: TestLaunchpad;
    let launchpad: WholeLaunchpad;
    let trader: Keypair;
    let agent: Keypair;
    let token: TokenRef;

    beforeAll(async () => {
      cluster = await openCluster({ slotMs });
      meteora = await openLaunchpad(cluster);
      trader = cluster.wallet(5_000n * SOL);
      launchpad = launchpadOn(meteora, {
        clock: cluster.clock,
        confirmer: {
          async pause(milliseconds) {
            cluster.clock.advance(Math.max(milliseconds, slotMs));
            await new Promise((resolve) => setImmediate(resolve));
          },
        },
      });
      for (let reading = 0; reading < 3; reading++) {
        await launchpad.probe();
        cluster.clock.advance(10_000);
      }
    });
    beforeEach(async () => {
      cluster.latencyMs = 0;
      const owned = await traded(meteora, trader);
      agent = owned.agent;
      token = owned.token.ref;
    });

    const build = () => buildBy(launchpad, agent, [token]);
    const sign = (claim: UnsignedClaim) => signBy(agent, claim);
    const submit = (claim: UnsignedClaim) => stepTwo(launchpad, sign(claim));

    const empty = ({ publicKey }: Keypair) =>
      meteora.cluster.chain.setAccount(publicKey, { lamports: 0n, owner: SystemProgram.programId });

    test.each(lives)(
      "lands if it is signed in time: %s, answered in %i ms",
      async (kind, latencyMs, seconds) => {
        if (kind === "sponsored") empty(agent);
        cluster.latencyMs = latencyMs;
        const claim = await build();
        expect(claim.repaidLamports === null).toBe(kind === "own");
        expect(claim.expiresInSeconds).toBeLessThanOrEqual(seconds);
        expect(claim.expiresInSeconds).toBeGreaterThan(seconds - 5);
        cluster.clock.advance(claim.expiresInSeconds * 1000);
        expect((await submit(claim)).paidLamports).toBeGreaterThan(0n);
      },
    );

    // What follows counts blocks, not their time.
    if (slotMs === 400) return;

    test("is not signed by its sponsor once it has expired", async () => {
      const { launchWallet } = meteora;
      empty(agent);
      const claim = await build();
      const before = cluster.chain.getBalance(launchWallet.publicKey);
      cluster.clock.advance((BLOCKHASH_VALID_BLOCKS + 1) * slotMs);
      cluster.calls.clear();
      await expect(submit(claim)).rejects.toBeInstanceOf(ExpiredError);
      expect([...cluster.calls.keys()].toSorted()).toEqual(["getEpochInfo", "simulateTransaction"]);
      await expect(launchpad.cosign(sign(claim))).rejects.toBeInstanceOf(ExpiredError);
      expect(cluster.chain.getBalance(launchWallet.publicKey)).toBe(before);
    });

    test("may cost its sponsor a fee until it is final that it never landed", async () => {
      const { chain, clock } = cluster;
      empty(agent);
      const claim = await build();
      const signed = await cosigned(launchpad, sign(claim));
      const outcome = () => launchpad.finalOutcome(signed);
      expect(await outcome()).toBe("open");
      clock.advance((claim.lastValidBlockHeight - chain.blockHeight() + 1) * slotMs);
      await expect(submit(claim)).rejects.toBeInstanceOf(ExpiredError);
      expect(await outcome()).toBe("open");
      clock.advance(FINALIZED_AFTER_BLOCKS * slotMs);
      expect(await outcome()).toBe("never");

      const landing = await build();
      const landed = await cosigned(launchpad, sign(landing));
      await submit(landing);
      expect(await launchpad.finalOutcome(landed)).toBe("open");
      clock.advance((BLOCKHASH_VALID_BLOCKS + FINALIZED_AFTER_BLOCKS + 1) * slotMs);
      expect(await launchpad.finalOutcome(landed)).toBe("landed");
    });
  });
});
