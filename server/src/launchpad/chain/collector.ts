import { type Connection, PublicKey, type TransactionError } from "@solana/web3.js";
import type { Clock } from "../../base/clock.ts";
import { Confirmer, type ConfirmerOptions } from "../../solana/confirmer.ts";
import { networkFeeOf } from "../../solana/network-fee.ts";
import { payoutsByAccount } from "../../solana/payout.ts";
import { type FeeCaps, LAMPORTS_PER_SIGNATURE, PriorityFees } from "../../solana/priority-fee.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import type { WalletSigner } from "../../solana/wallet-signer.ts";
import type { CollectionEnd, CollectionLedger, SignedCollection } from "../collection-ledger.ts";
import { type CrashPoint, noCrashPoint } from "../crash-point.ts";
import { ChainUnavailableError, LaunchWalletError } from "../errors.ts";
import type { TokenRef } from "../launchpad.ts";
import type { CollectionParts, PartnerProgram } from "../partner-program.ts";
import { joinClaim } from "../pool-program.ts";
import { fitTokens } from "./claim-message.ts";
import { confirm, resend } from "./confirm.ts";
import { type FinishContext, finishSigned } from "./finish-signed.ts";
import { type OwnContext, planOwn, signOwn, simulateOwn } from "./own-transaction.ts";
import { withProgramErrors } from "./rpc-errors.ts";

export interface CollectorOptions {
  readonly connection: Connection;
  /** The partner; pays for the transactions. */
  readonly wallet: WalletSigner;
  readonly program: PartnerProgram;
  readonly ledger: CollectionLedger;
  readonly feeCaps: FeeCaps;
  readonly clock: Clock;
  readonly confirmer?: ConfirmerOptions;
  /** Called after each step; crash tests stop the process there. Default: does nothing. */
  readonly crashPoint?: CrashPoint;
}

/** One transaction that is ready to be signed, or why there is none. */
export type PlannedCollection =
  | {
      readonly kind: "planned";
      readonly tokens: CollectionParts["tokens"];
      /** What it takes. */
      readonly lamports: bigint;
      /** What it costs. */
      readonly feeLamports: bigint;
      sign(): Promise<SignedCollection>;
    }
  /** @property tokens those whose instructions the chain refuses */
  | { readonly kind: "refused"; readonly tokens: readonly TokenRef[]; readonly reason: string }
  /** All of it together is worth less than the transaction. */
  | { readonly kind: "not_worth_it" }
  | { readonly kind: "nothing" };

/**
 * Takes what a wallet has earned as a partner: composes transactions of as many tokens as fit, stores
 * each before it is first sent, and records what it took. Whoever calls {@link Collector.finish} again,
 * here or in another process, gets the same outcome.
 */
export class Collector {
  readonly #chain: OwnContext & FinishContext;
  readonly #program: PartnerProgram;
  readonly #ledger: CollectionLedger;
  readonly #clock: Clock;
  readonly #crashPoint: CrashPoint;

  constructor(options: CollectorOptions) {
    const { connection, wallet, feeCaps, clock, confirmer } = options;
    const pause =
      confirmer?.pause ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
    this.#chain = {
      ...{ connection, wallet, feeCaps, pause },
      fees: new PriorityFees(connection, [wallet.publicKey], clock),
      confirmer: new Confirmer(connection, { ...confirmer, pause }),
    };
    this.#program = options.program;
    this.#ledger = options.ledger;
    this.#clock = clock;
    this.#crashPoint = options.crashPoint ?? noCrashPoint;
  }

  /**
   * Composes one transaction that takes all that it can from as many of the tokens as fit, in their
   * order. Simulates it; signs nothing.
   *
   * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly
   * @throws {LaunchWalletError} the wallet cannot pay up front
   */
  async plan(tokens: readonly TokenRef[]): Promise<PlannedCollection> {
    const all = await withProgramErrors(() => this.#program.collect(tokens));
    if (all === null) return { kind: "nothing" };
    const parts = fitTokens(all, this.#chain.wallet.publicKey);
    const instructions = joinClaim(parts);
    const simulation = await simulateOwn(this.#chain, instructions);
    const refs = parts.tokens.map(({ token }) => token);
    if (simulation.error !== null) {
      this.#throwIfOfAll(simulation.error, simulation.logs);
      return { kind: "refused", tokens: refs, reason: describeError(simulation.error) };
    }
    const plan = await planOwn(this.#chain, { instructions, signers: [], simulation }, false);
    const lamports = parts.tokens.reduce((sum, token) => sum + token.lamports, 0n);
    const feeLamports = LAMPORTS_PER_SIGNATURE + plan.priorityLamports;
    if (lamports <= feeLamports) return { kind: "not_worth_it" };
    const sign = async (): Promise<SignedCollection> => ({
      ...(await signOwn(this.#chain, plan, "collect", [])),
      wallet: this.#chain.wallet.publicKey.toBase58(),
      tokens: parts.tokens.map((one) => ({
        tokenMint: one.token.tokenMint,
        vaults: one.vaults,
        lamports: String(one.lamports),
      })),
      submittedAt: this.#clock.now(),
    });
    return { kind: "planned", tokens: parts.tokens, lamports, feeLamports, sign };
  }

  /**
   * @throws {LaunchWalletError} the wallet cannot pay up front
   * @throws {ChainUnavailableError} the cluster cannot take any transaction now
   */
  #throwIfOfAll(error: TransactionError, logs: readonly string[]): void {
    const reason = classifyError(error, logs);
    if (reason === "payer") {
      throw new LaunchWalletError(
        `The launch wallet ${this.#chain.wallet.publicKey} cannot pay the network fee and the rent of token accounts, which comes back: send 0.01 SOL to it`,
        error,
      );
    }
    if (reason === "later") {
      throw new ChainUnavailableError(
        `The cluster cannot take the collection now (${describeError(error)})`,
        error,
      );
    }
  }

  /**
   * Signs, stores and sends a planned collection, and waits for its outcome.
   *
   * @returns null if another process has one of its tokens in flight; then nothing was sent
   * @throws {ChainUnavailableError} its outcome is unknown: it is stored, and {@link finish} finds it
   */
  async send(
    planned: Extract<PlannedCollection, { kind: "planned" }>,
    signal: AbortSignal,
  ): Promise<{ readonly signature: string; readonly end: CollectionEnd } | null> {
    const signed = await planned.sign();
    await this.#crashPoint("collect.signed");
    if ((await this.#ledger.record(signed)) === "in_flight") return null;
    await this.#crashPoint("collect.stored");
    return { signature: signed.signature, end: await this.finish(signed, signal) };
  }

  /**
   * Finds the outcome of a stored collection, sends its bytes as long as they can land, and records how
   * it ended.
   *
   * @throws {ChainUnavailableError} its outcome is still unknown
   */
  async finish(signed: SignedCollection, signal: AbortSignal): Promise<CollectionEnd> {
    const finished = await finishSigned(
      this.#chain,
      signed,
      async () => {
        // A request without an answer may have arrived; the confirmer finds out.
        await resend(this.#chain, signed).catch(() => {});
        await this.#crashPoint("collect.sent");
        return confirm(this.#chain, signed, signal);
      },
      signal,
      () => this.#crashPoint("collect.landed"),
    );
    const end = this.#endOf(signed, finished);
    await this.#crashPoint("collect.recording");
    await this.#ledger.end(signed.signature, end);
    return end;
  }

  #endOf(
    { tokens, transaction }: SignedCollection,
    finished: Awaited<ReturnType<typeof finishSigned>>,
  ): CollectionEnd {
    const at = this.#clock.now();
    if (finished.kind === "expired") return { status: "expired", feeLamports: 0n, at };
    if (finished.kind === "failed") {
      return { status: "failed", feeLamports: networkFeeOf(transaction), at };
    }
    const { message } = finished.transaction.transaction;
    const payouts = payoutsByAccount(
      finished.meta,
      message.staticAccountKeys.map((key) => new PublicKey(key)),
    );
    const paidBy = (vaults: readonly string[]) =>
      vaults.reduce((sum, vault) => sum + (payouts.get(vault) ?? 0n), 0n);
    return {
      status: "confirmed",
      tokens: tokens.map((token) => ({ ...token, lamports: String(paidBy(token.vaults)) })),
      paidLamports: paidBy(tokens.flatMap(({ vaults }) => vaults)),
      feeLamports: BigInt(finished.meta.fee),
      at,
    };
  }
}
