import type { HandOverReceipt } from "@tokenctl/shared/types";
import { ApiError, ConflictError } from "../api-errors.ts";
import type { HandOverCost } from "../claim-check/hand-over-terms.ts";
import { ClaimCheckError, HandOverCheckError, HandOverUnsettledError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { InvalidResponseError } from "../errors.ts";
import { checkHandOverTransaction } from "../hand-over-check.ts";
import type {
  CallOptions,
  ClaimOptions,
  ClaimResult,
  HandOverOptions,
  HandOverResult,
  SignedHandOver,
} from "../options.ts";
import { decodeClaim, signChecked } from "../sign-claim.ts";
import { answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { type ClaimSteps, hasUnknownOutcome } from "./claim-steps.ts";
import { priceOnCluster } from "./cluster.ts";
import { refuseOwnPositions } from "./position-origin.ts";
import { addressSegment } from "./request-parts.ts";
import { readSignedClaim } from "./wire-transaction.ts";

/** The transaction can no longer land, or the server does not know it: a new one is needed. */
const NEEDS_NEW_TRANSACTION: readonly ApiErrorCode[] = ["hand_over_expired", "hand_over_mismatch"];
const ATTEMPTS = 3;
/** As many as the fees of a curve and of three positions take one by one. */
const MOST_CLAIMS = 4;

/** Who gets which token. */
interface Order extends Pick<HandOverOptions, "to" | "force"> {
  readonly mint: string;
}

/** Hands tokens over. */
export class HandOverSteps {
  readonly #api: Api;
  readonly #claims: Pick<ClaimSteps, "claim">;

  constructor(api: Api, claims: Pick<ClaimSteps, "claim">) {
    this.#api = api;
    this.#claims = claims;
  }

  /** See `TokenctlClient.handOver`. */
  async handOver(
    mint: string,
    { to, force, claimFees = true, claimTo, approve, ...call }: HandOverOptions,
  ): Promise<HandOverResult> {
    const order = { mint, to, force };
    let { cost: approved } = await this.#prepare(order, call);
    await approve?.(approved);
    const claimed = claimFees ? await this.#claimOpen(mint, { to: claimTo, ...call }) : [];
    for (let attempt = 1; ; attempt++) {
      // The approval and the claim took their time: the first transaction may have expired.
      const { transaction, expiresAt, cost } = await this.#prepare(order, call);
      if (differs(cost, approved)) await approve?.(cost);
      approved = cost;
      const signed = await signChecked(this.#api.signer, transaction, {
        what: "hand-over",
        expiresAt,
      });
      try {
        return { ...(await this.submit(mint, { to, signedTransaction: signed }, call)), claimed };
      } catch (error) {
        if (hasUnknownOutcome(error)) {
          const transactionHash = readSignedClaim(signed).agentSignature;
          const tried = {
            tokenMint: mint,
            to,
            signedTransaction: signed,
            transactionHash,
            claimed,
          };
          throw new HandOverUnsettledError(tried, error);
        }
        const isOver = error instanceof ApiError && NEEDS_NEW_TRANSACTION.includes(error.code);
        if (!isOver || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #prepare({ mint, to, force }: Order, call: CallOptions) {
    const body = { to, ...(force && { force }) };
    const request = { path: pathOf(mint), body, answer: answers.PreparedHandOver };
    const prepared = await this.#api.post(request, call);
    const expiresAt = new Date(Date.now() + prepared.expiresInSeconds * 1000);
    const { maxNetworkFeeLamports, rpc } = this.#api.settings;
    try {
      const transaction = decodeClaim(prepared.transaction);
      const agent = this.#api.signer.publicKey;
      const cost = await checkHandOverTransaction(transaction, {
        agent,
        tokenMint: mint,
        to,
        maxNetworkFeeLamports,
        sandboxPool: await this.#sandboxPool(mint, call),
      });
      if (!rpc) return { transaction, expiresAt, cost };
      const node = rpc.until(call.signal);
      await refuseOwnPositions(node, { agent, nfts: cost.positionNfts });
      return { transaction, expiresAt, cost: await priceOnCluster(node, [mint], cost) };
    } catch (error) {
      // What is checked as for claims is named by what it is.
      throw error instanceof ClaimCheckError ? new HandOverCheckError(error) : error;
    }
  }

  /** Several receivers may leave no room for all fees in one claim. */
  async #claimOpen(mint: string, options: ClaimOptions): Promise<ClaimResult[]> {
    const claims: ClaimResult[] = [];
    try {
      while (claims.length < MOST_CLAIMS) {
        const claimed = await this.#claims.claim(mint, options);
        claims.push(claimed);
        if ((claimed.receivers?.length ?? 0) < 2) break;
      }
    } catch (error) {
      if (!(error instanceof ConflictError && error.code === "no_fees_to_claim")) throw error;
    }
    return claims;
  }

  /** See `TokenctlClient.submitHandOver`. */
  async submit(
    mint: string,
    { to, signedTransaction }: SignedHandOver,
    call: CallOptions,
  ): Promise<HandOverReceipt> {
    const { submitTimeoutMs: timeoutMs } = this.#api.settings;
    const request = { path: pathOf(mint), body: { signedTransaction }, timeoutMs };
    const receipt = await this.#api.post({ ...request, answer: answers.HandOverReceipt }, call);
    const { success, transactionHash } = receipt;
    if (receipt.to !== to || !readSignedClaim(signedTransaction).isNamed(transactionHash)) {
      throw new InvalidResponseError("The receipt is of another hand-over", 200);
    }
    // Field by field: the server must not set what the client itself adds.
    return { success, transactionHash, to };
  }

  /** @returns the token's pool if the server may be a sandbox */
  async #sandboxPool(mint: string, call: CallOptions): Promise<string | undefined> {
    if (!this.#api.settings.mayBeSandbox) return undefined;
    const path = `/api/v1/tokens/${addressSegment(mint)}`;
    return (await this.#api.get(path, answers.Token, call)).poolAddress;
  }
}

const pathOf = (mint: string) => `/api/v1/tokens/hand-overs/${addressSegment(mint)}`;

function differs(next: HandOverCost, approved: HandOverCost): boolean {
  return (
    next.networkFeeLamports > approved.networkFeeLamports ||
    next.rentLamports > approved.rentLamports ||
    next.givesRole !== approved.givesRole ||
    next.givesPosition !== approved.givesPosition
  );
}
