import {
  type CollectionEnd,
  type CollectionLedger,
  LeaseLostError,
  type SignedCollection,
} from "../../domain/journal.ts";
import type { TokenRef } from "../../domain/token.ts";
import { fitsIntoTransaction } from "../../solana/message.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, LaunchWalletError } from "../errors.ts";
import { claimOf, fitTokens, type PartnerProgram } from "../pool-program.ts";
import { withRpcErrors } from "./cluster.ts";
import {
  draftOwn,
  finish,
  type OwnChainOptions,
  type OwnContext,
  ownChain,
  planOwn,
  readFinished,
  type SentOutcome,
  signOwn,
  spentBy,
  storeAndSend,
} from "./transaction.ts";

export interface CollectorOptions extends OwnChainOptions {
  readonly program: PartnerProgram;
  readonly ledger: CollectionLedger;
}

export type Collected =
  | {
      readonly kind: "ended";
      /** The mints of the tokens that fit. */
      readonly tokens: readonly string[];
      readonly signature: string;
      readonly end: CollectionEnd;
    }
  /** Another process has one of these tokens in flight; nothing was sent. */
  | { readonly kind: "in_flight"; readonly tokens: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string }
  /** There is nothing, or the transaction costs at least as much as it collects. */
  | { readonly kind: "nothing" };

/**
 * Collects what a wallet has earned as a partner, with as many tokens in each transaction as fit.
 * {@link Collector.finish} returns the same outcome in every call and every process.
 */
export class Collector {
  readonly #chain: OwnContext;

  /** @param options the wallet is the partner; it pays for the transactions */
  constructor(private readonly options: CollectorOptions) {
    this.#chain = ownChain(options);
  }

  /**
   * Collects from as many of the tokens as fit into one transaction, in order.
   * @throws {LaunchWalletError} if the wallet cannot pay up front
   * @throws {ChainUnavailableError} if the outcome is unknown; {@link finish} finds it
   */
  async collect(tokens: readonly TokenRef[], signal: AbortSignal): Promise<Collected> {
    const all = await withRpcErrors(() => this.options.program.collect(tokens));
    if (all === null) return { kind: "nothing" };
    const payer = this.#chain.wallet.publicKey;
    const parts = fitTokens(all, (some) => fitsIntoTransaction(payer, claimOf(some)));
    const draft = await draftOwn(this.#chain, { instructions: claimOf(parts), signers: [] });
    const { simulation } = draft;
    const { error, logs, instructions } = simulation;
    if (error !== null) {
      const errorClass = classifyError(error, logs);
      if (errorClass === "payer") {
        throw new LaunchWalletError(
          `The launch wallet ${payer} cannot pay the network fee and the rent of token accounts, which comes back: send 0.01 SOL to it`,
          error,
        );
      }
      if (errorClass === "later") {
        throw new ChainUnavailableError(
          `The cluster cannot take the collection now (${describeError(error)})`,
          error,
        );
      }
      return { kind: "refused", reason: describeError(error, instructions) };
    }
    const plan = await planOwn(this.#chain, draft, false);
    const lamports = parts.tokens.reduce((sum, token) => sum + token.lamports, 0n);
    if (lamports <= plan.feeLamports) return { kind: "nothing" };
    const signed: SignedCollection = {
      ...(await signOwn(this.#chain, plan, "collect")),
      wallet: payer.toBase58(),
      tokens: parts.tokens.map((one) => ({
        tokenMint: one.token.tokenMint,
        vaults: one.vaults,
        lamports: String(one.lamports),
      })),
      submittedAt: this.options.clock.now(),
    };
    const fitting = signed.tokens.map(({ tokenMint }) => tokenMint);
    const sending = { purpose: "collect", journal: this.options.ledger, signal } as const;
    try {
      const sent = await storeAndSend(this.#chain, signed, sending);
      const end = await this.#end(signed, sent, signal);
      return { kind: "ended", tokens: fitting, signature: signed.signature, end };
    } catch (error) {
      if (error instanceof LeaseLostError) return { kind: "in_flight", tokens: fitting };
      throw error;
    }
  }

  /**
   * Finds a stored collection's outcome, sends its bytes while they can land, and records the end.
   * @throws {ChainUnavailableError} if the outcome is still unknown
   */
  async finish(signed: SignedCollection, signal: AbortSignal): Promise<CollectionEnd> {
    const outcome = await finish(this.#chain, signed, { purpose: "collect", signal });
    return this.#end(signed, { sent: signed, outcome }, signal);
  }

  async #end(
    signed: SignedCollection,
    sent: SentOutcome,
    signal: AbortSignal,
  ): Promise<CollectionEnd> {
    const finished = await readFinished(this.#chain, sent, { purpose: "collect", signal });
    const at = this.options.clock.now();
    let end: CollectionEnd;
    if (finished.kind === "landed") end = { ...paidFor(signed, finished), at };
    else {
      const status = finished.kind;
      const feeLamports = await spentBy(this.#chain, signed, { outcome: status, signal });
      end = { status, feeLamports, at };
    }
    await this.#chain.crashPoint?.("collect.recording");
    await this.options.ledger.end(signed.signature, end);
    return end;
  }
}

type Landed = Extract<Awaited<ReturnType<typeof readFinished>>, { readonly kind: "landed" }>;

function paidFor({ tokens, tipLamports }: SignedCollection, { meta, transaction }: Landed) {
  const { preBalances, postBalances } = meta;
  const keys = transaction.transaction.message.staticAccountKeys.map(String);
  // An account for wrapped SOL also holds its amount as lamports.
  const balanceOf = (balances: readonly number[], key: string) =>
    BigInt(balances[keys.indexOf(key)] ?? 0);
  const paidBy = (vaults: readonly string[]) =>
    vaults.reduce(
      (sum, key) => sum + balanceOf(preBalances, key) - balanceOf(postBalances, key),
      0n,
    );
  return {
    status: "confirmed" as const,
    tokens: tokens.map((token) => ({ ...token, lamports: String(paidBy(token.vaults)) })),
    paidLamports: paidBy(tokens.flatMap(({ vaults }) => vaults)),
    feeLamports: BigInt(meta.fee) + (tipLamports ?? 0n),
  };
}
