import { paidOnWire } from "@tokenctl/shared/shares";
import type { ClaimReceipt, PreparedClaim, PreparedClaims } from "@tokenctl/shared/types";
import { checkClaimTransaction } from "../check-transaction.ts";
import { isMarked, refuseTransaction as refuse } from "../claim-check/instruction.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { ClaimUnsettledError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import type {
  CallOptions,
  ClaimManyResult,
  ClaimOptions,
  ClaimResult,
  PrepareClaimOptions,
} from "../options.ts";
import type { Answer } from "./answer.ts";
import { answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { addressSegment, mintList, receiversOf } from "./arguments.ts";
import { feeTerms, priceOnCluster } from "./cluster.ts";
import { hasUnknownOutcome, type Offer, signAndSubmit } from "./sign-and-submit.ts";
import { decodeTransaction, signChecked } from "./signed.ts";
import { verifyClaim, wrongReceipt } from "./verify-claim.ts";
import { readSignedClaim } from "./wire-transaction.ts";

const CLAIMS = "/api/v1/tokens/claims";
const claimPath = (mint: string) => `${CLAIMS}/${addressSegment(mint)}`;

/** After these refusals a new claim is needed. It is safe: the chain pays fees only once. */
const OUTDATED: readonly ApiErrorCode[] = ["claim_expired", "claim_mismatch"];

export class Claims {
  constructor(private readonly api: Api) {}

  async prepare(mint: string, { to, ...call }: PrepareClaimOptions): Promise<PreparedClaim> {
    const body = to === undefined ? undefined : { receivers: receiversOf(to) };
    return this.api.post({ path: claimPath(mint), body, answer: answers.PreparedClaim }, call);
  }

  claim(mint: string, options: ClaimOptions): Promise<ClaimResult> {
    return this.#claim(
      options,
      async (call) => ({ ...(await this.prepare(mint, call)), tokenMints: [mint] }),
      (signed, _, call) => this.submit(mint, signed, call),
    );
  }

  claimMany(asked: readonly string[], options: ClaimOptions): Promise<ClaimManyResult> {
    const prepare = async ({ to, ...call }: PrepareClaimOptions) => {
      const receivers = to === undefined ? {} : { receivers: receiversOf(to) };
      const body = { tokenMints: mintList(asked), ...receivers };
      const request = { path: CLAIMS, body, answer: answers.PreparedClaims };
      const prepared = await this.api.post(request, call);
      const foreign = prepared.tokenMints.find((mint) => !asked.includes(mint));
      if (foreign !== undefined) refuse(`it was not asked for ${foreign}`);
      return prepared;
    };
    return this.#claim(options, prepare, async (signedTransaction, mints, call) => {
      const tokenMints = [...mints];
      const request = { path: CLAIMS, answer: answers.ClaimsReceipt };
      const body = { tokenMints, signedTransaction };
      return { ...(await this.#submit(request, body, call)), tokenMints };
    });
  }

  #claim<Result extends ClaimResult>(
    { approve, to, ...call }: ClaimOptions,
    prepare: (call: PrepareClaimOptions) => Promise<PreparedClaims>,
    submit: (signed: string, mints: readonly string[], call: CallOptions) => Promise<Result>,
  ): Promise<Result> {
    const asked = { to, ...call };
    const order = {
      what: "claim",
      signer: this.api.signer,
      outdated: OUTDATED,
      prepare: () => prepare(asked),
      check: async ({ tokenMints, transaction }: PreparedClaims) => {
        const cost = await this.check(tokenMints, transaction, asked);
        // Otherwise a token that only the server names would count as claimed.
        const missing = tokenMints.find((mint) => !cost.tokenMints.includes(mint));
        if (missing !== undefined) refuse(`it takes no fees of ${missing}`);
        return cost;
      },
      submit: async (signed: string, { prepared, approval }: Offer<PreparedClaims, ClaimCost>) => {
        const { tokenMints } = prepared;
        const { receivers } = approval;
        try {
          const result = await submit(signed, tokenMints, call);
          return { ...result, ...(receivers && { receivers: receivers.map(paidOnWire) }) };
        } catch (error) {
          if (!hasUnknownOutcome(error)) throw error;
          const [tokenMint = ""] = tokenMints;
          const text = `It is not known whether the claim of ${tokenMint} was paid: ${error.message}`;
          throw new ClaimUnsettledError(text, {
            cause: error,
            hint: "Claim again when the server answers: the chain pays fees only once",
            tokenMint,
            tokenMints,
            signedTransaction: signed,
          });
        }
      },
    } as const;
    return signAndSubmit(order, { approve, ...call });
  }

  async check(
    mints: readonly string[],
    transaction: string,
    { to, signal }: PrepareClaimOptions,
  ): Promise<ClaimCost> {
    const bytes = decodeTransaction(transaction);
    const { rpc } = this.api.settings;
    const terms = await feeTerms(this.api.settings, bytes, signal);
    const cost = await checkClaimTransaction(bytes, {
      ...terms,
      agent: this.api.signer.publicKey,
      tokenMint: mints,
      receivers: to,
      sandboxPool: await this.sandboxPools(mints, bytes, { signal }),
    });
    return rpc ? priceOnCluster(rpc.until(signal), mints, cost) : cost;
  }

  sign(transaction: string): Promise<string> {
    return signChecked(this.api.signer, decodeTransaction(transaction), "claim");
  }

  async submit(mint: string, signedTransaction: string, call: CallOptions): Promise<ClaimResult> {
    const request = { path: claimPath(mint), answer: answers.ClaimReceipt };
    return this.#submit(request, { signedTransaction }, call);
  }

  async #submit(
    request: { readonly path: string; readonly answer: Answer<ClaimReceipt> },
    body: { readonly signedTransaction: string },
    options: CallOptions,
  ): Promise<ClaimResult> {
    const signed = readSignedClaim(body.signedTransaction);
    const { submitTimeoutMs: timeoutMs, rpc } = this.api.settings;
    const answer = await this.api.post({ ...request, body, timeoutMs }, options);
    // Copied by field, so that the server cannot set fields that the client adds.
    const { success, transactionHash: named, claimedSOL } = answer;
    const receipt: ClaimReceipt = { success, transactionHash: named, claimedSOL };
    if (!signed.isNamed(named)) {
      throw wrongReceipt(receipt, signed.agentSignature, `it names ${named}`);
    }
    if (!rpc) return receipt;
    const { signerIndex } = signed;
    const agent = { address: this.api.signer.publicKey, signerIndex };
    return verifyClaim(rpc.until(options.signal), receipt, agent);
  }

  async sandboxPools(
    mints: readonly string[],
    transaction: Uint8Array,
    call: CallOptions,
  ): Promise<string[]> {
    if (!this.api.settings.maySandbox || !isMarked(transaction)) return [];
    const pools: string[] = [];
    for (const mint of mints) {
      const path = `/api/v1/tokens/${addressSegment(mint)}`;
      pools.push((await this.api.get(path, answers.Token, call)).poolAddress);
    }
    return pools;
  }
}
