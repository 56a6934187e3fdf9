import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import type { HandOverReceipt, PreparedHandOver } from "@tokenctl/shared/types";
import { checkHandOverTransaction, named } from "../check-transaction.ts";
import { refuseTransaction as refuse } from "../claim-check/instruction.ts";
import type { HandOverCost } from "../claim-check/terms.ts";
import { HandOverUnsettledError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { InvalidResponseError } from "../errors.ts";
import { hasCode } from "../has-code.ts";
import type {
  CallOptions,
  ClaimOptions,
  ClaimResult,
  HandOverOptions,
  HandOverResult,
  SignedHandOver,
} from "../options.ts";
import { answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { addressSegment } from "./arguments.ts";
import type { Claims } from "./claims.ts";
import { feeTerms, priceOnCluster } from "./cluster.ts";
import { openFees, refuseOwnPositions } from "./handed-over.ts";
import { approvedOffer, hasUnknownOutcome, leaving, signAndSubmit } from "./sign-and-submit.ts";
import { decodeTransaction, isPlay } from "./signed.ts";
import { readSignedClaim } from "./wire-transaction.ts";

/** After these refusals a new transaction is needed. */
const OUTDATED: readonly ApiErrorCode[] = ["hand_over_expired", "hand_over_mismatch"];
/** Enough to claim the fees of a curve and of three positions one by one. */
const MOST_CLAIMS = 4;

interface Giving extends Pick<HandOverOptions, "to"> {
  readonly mint: string;
  /** What the transaction gives whose open fees were claimed. */
  readonly claimed?: HandOverCost | undefined;
}

export class HandOvers {
  constructor(
    private readonly api: Api,
    private readonly claims: Claims,
  ) {}

  async handOver(
    mint: string,
    { to, claimFees = true, claimTo, approve, ...call }: HandOverOptions,
  ): Promise<HandOverResult> {
    const asking = { approve, ...call };
    const approved = await approvedOffer(this.#order({ mint, to }, call), asking);
    const { approval, prepared } = approved;
    const approveClaim = (_: unknown, transaction: string) => {
      if (isPlay(transaction) === isPlay(prepared.transaction)) return;
      refuse("its claim can land on another chain than what was approved", "hand-over");
    };
    const claiming = { to: claimTo, approve: approveClaim, ...call };
    const claimed: ClaimResult[] = [];
    try {
      if (claimFees) await this.#claimOpen(mint, claiming, { approval, claimed });
      // The first transaction may have expired during the approval and the claim.
      const giving = { mint, to, claimed: claimFees ? approval : undefined };
      const order = this.#order(giving, call);
      return { ...(await signAndSubmit(order, asking, approved)), claimed };
    } catch (error) {
      if (claimed.length === 0) throw error;
      const hint = `The open fees, ${formatSol(sumOf(claimed))} SOL, were claimed before; the token is still the agent's unless the hand-over lands`;
      throw leaving(error, { claimed, hint });
    }
  }

  #order(giving: Giving, call: CallOptions) {
    const { mint, to } = giving;
    const { signer } = this.api;
    return {
      what: "hand-over",
      signer,
      outdated: OUTDATED,
      prepare: () => {
        const request = { path: pathOf(mint), body: { to }, answer: answers.PreparedHandOver };
        return this.api.post(request, call);
      },
      check: ({ transaction }: PreparedHandOver) =>
        named("hand-over", () => this.#check(transaction, giving, call)),
      submit: async (signedTransaction: string) => {
        try {
          return await this.submit(mint, { to, signedTransaction }, call);
        } catch (error) {
          if (!hasUnknownOutcome(error)) throw error;
          const transactionHash = readSignedClaim(signedTransaction).agentSignature;
          const tried = { tokenMint: mint, to, signedTransaction, transactionHash, claimed: [] };
          const text = `It is not known whether ${mint} was handed over: ${error.message}`;
          const hint = "Submit the same transaction again: a token is handed over only once";
          throw new HandOverUnsettledError(text, { cause: error, hint, ...tried });
        }
      },
    } as const;
  }

  async #check(transaction: string, { mint, to, claimed }: Giving, call: CallOptions) {
    const bytes = decodeTransaction(transaction);
    const agent = this.api.signer.publicKey;
    const [sandboxPool] = await this.claims.sandboxPools([mint], bytes, call);
    const terms = await feeTerms(this.api.settings, bytes, call.signal);
    const order = { ...terms, agent, tokenMint: mint, to, sandboxPool };
    const cost = await checkHandOverTransaction(bytes, order);
    const other = claimed && givenBy(cost).find((one) => !givenBy(claimed).includes(one));
    if (other) refuse(`it also gives ${other}, whose open fees were not claimed`);
    const node = this.api.settings.rpc?.until(call.signal);
    if (!node) return cost;
    await refuseOwnPositions(node, cost.positionNfts);
    return priceOnCluster(node, [mint], cost);
  }

  /**
   * Claims until no fees are open, by the server and by the caller's node. A claim may have no room
   * for all fees: it may pay receivers or a sponsor, and anyone can give the agent more positions.
   */
  async #claimOpen(
    mint: string,
    options: ClaimOptions,
    { approval, claimed }: { readonly approval: HandOverCost; readonly claimed: ClaimResult[] },
  ): Promise<void> {
    const node = this.api.settings.rpc?.until(options.signal);
    const open = node ? await openFees(node, this.api.signer.publicKey, approval) : 0n;
    try {
      while (claimed.length < MOST_CLAIMS) claimed.push(await this.claims.claim(mint, options));
    } catch (error) {
      if (!hasCode(error, "no_fees_to_claim")) throw error;
    }
    const paid = sumOf(claimed);
    if (paid >= open) return;
    const saw = `claims paid ${paid} lamports of the ${open} that ${node?.origin} showed as open fees, and the receiver would get the rest`;
    refuse(saw, "hand-over");
  }

  async submit(
    mint: string,
    { to, signedTransaction }: SignedHandOver,
    call: CallOptions,
  ): Promise<HandOverReceipt> {
    const { submitTimeoutMs: timeoutMs } = this.api.settings;
    const request = { path: pathOf(mint), body: { signedTransaction }, timeoutMs };
    const receipt = await this.api.post({ ...request, answer: answers.HandOverReceipt }, call);
    const { success, transactionHash } = receipt;
    if (receipt.to !== to || !readSignedClaim(signedTransaction).isNamed(transactionHash)) {
      throw new InvalidResponseError("The receipt is of another hand-over", 200);
    }
    // Copied by field, so that the server cannot set fields that the client adds.
    return { success, transactionHash, to };
  }
}

const pathOf = (mint: string) => `/api/v1/tokens/hand-overs/${addressSegment(mint)}`;

const givenBy = (of: HandOverCost) => [...of.poolAddresses, ...of.positionNfts];

const sumOf = (claimed: readonly ClaimResult[]) =>
  claimed.reduce((sum, { claimedSOL }) => sum + solToLamports(claimedSOL), 0n);
