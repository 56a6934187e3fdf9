import type { ClaimReceipt, PreparedClaim, PreparedClaims } from "@tokenctl/shared/types";
import { ApiError, ChainRefusedError, ServerError } from "../api-errors.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { checkClaimTransaction, needsSandboxPool } from "../claim-check.ts";
import { ClaimCheckError, ClaimReceiptError, ClaimUnsettledError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { ConnectionError, InvalidResponseError, TimeoutError } from "../errors.ts";
import type {
  CallOptions,
  ClaimManyResult,
  ClaimOptions,
  ClaimResult,
  PrepareClaimOptions,
} from "../options.ts";
import { decodeClaim, signChecked } from "../sign-claim.ts";
import type { Answer } from "./answer.ts";
import { answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { approveClaim, type CheckedClaim, expiryOf } from "./approve-claim.ts";
import { priceOnCluster } from "./cluster.ts";
import { receiversOf } from "./receivers.ts";
import { addressSegment } from "./request-parts.ts";
import { verifyClaim } from "./verify-claim.ts";
import { readSignedClaim } from "./wire-transaction.ts";

/** The two requests of a claim, which differ for one token and several. */
interface ClaimRequests<Result> {
  readonly prepare: (call: PrepareClaimOptions) => Promise<PreparedClaims>;
  readonly submit: (
    signed: string,
    tokenMints: readonly string[],
    call: CallOptions,
  ) => Promise<Result>;
}

interface ClaimSubmission {
  readonly path: string;
  readonly answer: Answer<ClaimReceipt>;
  readonly body: { readonly signedTransaction: string };
}

const CLAIMS = "/api/v1/tokens/claims";
const claimPath = (mint: string) => `${CLAIMS}/${addressSegment(mint)}`;

/** The transaction can no longer land, or the server does not know it: a new one is needed. */
const NEEDS_NEW_TRANSACTION: readonly ApiErrorCode[] = ["claim_expired", "claim_mismatch"];

/** The three steps of a claim. `TokenctlClient` documents what each promises. */
export class ClaimSteps {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  async prepare(mint: string, { to, force, ...call }: PrepareClaimOptions): Promise<PreparedClaim> {
    const body = to === undefined ? undefined : payeesOf(to, force);
    return this.#api.post({ path: claimPath(mint), body, answer: answers.PreparedClaim }, call);
  }

  claim(mint: string, options: ClaimOptions): Promise<ClaimResult> {
    return this.#claim(options, {
      prepare: async (call) => ({ ...(await this.prepare(mint, call)), tokenMints: [mint] }),
      submit: (signed, _, call) => this.submit(mint, signed, call),
    });
  }

  claimMany(asked: readonly string[], options: ClaimOptions): Promise<ClaimManyResult> {
    return this.#claim<ClaimManyResult>(options, {
      prepare: (call) => this.#prepareMany(asked, call),
      submit: async (signedTransaction, mints, call) => {
        const tokenMints = [...mints];
        const body = { tokenMints, signedTransaction };
        const receipt = await this.#submit(
          { path: CLAIMS, answer: answers.ClaimsReceipt, body },
          call,
        );
        return { ...receipt, tokenMints };
      },
    });
  }

  /** @throws {ClaimCheckError} if the server answers with a token that was not asked for */
  async #prepareMany(
    mints: readonly string[],
    { to, force, ...call }: PrepareClaimOptions,
  ): Promise<PreparedClaims> {
    const body = { tokenMints: mints, ...(to !== undefined && payeesOf(to, force)) };
    const request = { path: CLAIMS, body, answer: answers.PreparedClaims };
    const prepared = await this.#api.post(request, call);
    const { tokenMints } = prepared;
    const foreign = tokenMints.find((mint) => !mints.includes(mint));
    if (foreign !== undefined || tokenMints.length === 0) {
      const saw = foreign === undefined ? "it names no token" : `it was not asked for ${foreign}`;
      throw new ClaimCheckError({ instruction: null, program: null, saw });
    }
    return prepared;
  }

  /** Takes all steps, and starts over once if the first transaction can no longer be used. */
  async #claim<Result extends ClaimResult>(
    { approve, onRenew, to, force, ...call }: ClaimOptions,
    { prepare, submit }: ClaimRequests<Result>,
  ): Promise<Result> {
    const attempt = async () => {
      const checked = () => this.#prepareChecked(prepare, { to, force, ...call });
      const claim = await approveClaim(checked, { approve, onRenew, ...call });
      const { tokenMints } = claim.prepared;
      const { receivers } = claim.cost;
      const signed = await this.sign(claim.prepared, expiryOf(claim));
      try {
        const result = await submit(signed, tokenMints, call);
        return { ...result, ...(receivers && { receivers }) };
      } catch (error) {
        if (!hasUnknownOutcome(error)) throw error;
        throw new ClaimUnsettledError(tokenMints, signed, error);
      }
    };
    try {
      return await attempt();
    } catch (error) {
      // The chain pays fees once: a second transaction cannot claim them again.
      if (error instanceof ApiError && NEEDS_NEW_TRANSACTION.includes(error.code)) return attempt();
      throw error;
    }
  }

  /** A claim's life counts from the answer, less the request's time: the signed claim travels as well. */
  async #prepareChecked(
    prepare: ClaimRequests<unknown>["prepare"],
    options: PrepareClaimOptions,
  ): Promise<CheckedClaim> {
    const askedAt = performance.now();
    const prepared = await prepare(options);
    const checkedAt = performance.now();
    const statedMs = prepared.expiresInSeconds * 1000;
    const lifeMs = statedMs - Math.min(checkedAt - askedAt, statedMs / 4);
    const cost = await this.check(prepared.tokenMints, prepared.transaction, options);
    return { prepared, cost, lifeMs, checkedAt };
  }

  /** @returns the most that the claim can cost; with an RPC, by what is on the cluster */
  async check(
    mints: readonly string[],
    transaction: string,
    { to, signal }: PrepareClaimOptions,
  ): Promise<ClaimCost> {
    const { maxNetworkFeeLamports, rpc } = this.#api.settings;
    const cost = await checkClaimTransaction(decodeClaim(transaction), {
      agent: this.#api.signer.publicKey,
      tokenMint: mints,
      maxNetworkFeeLamports,
      receivers: to,
      sandboxPool: await this.#sandboxPools(mints, transaction, { signal }),
    });
    return rpc ? priceOnCluster(rpc.until(signal), mints, cost) : cost;
  }

  sign({ transaction }: Pick<PreparedClaim, "transaction">, expiresAt?: Date): Promise<string> {
    return signChecked(this.#api.signer, decodeClaim(transaction), { what: "claim", expiresAt });
  }

  async submit(mint: string, signedTransaction: string, call: CallOptions): Promise<ClaimResult> {
    const request = { path: claimPath(mint), answer: answers.ClaimReceipt };
    return this.#submit({ ...request, body: { signedTransaction } }, call);
  }

  async #submit(request: ClaimSubmission, options: CallOptions): Promise<ClaimResult> {
    const signed = readSignedClaim(request.body.signedTransaction);
    const { submitTimeoutMs: timeoutMs, rpc } = this.#api.settings;
    const answer = await this.#api.post({ ...request, timeoutMs }, options);
    // Field by field: the server must not set the fields that the client itself adds.
    const { success, transactionHash: named, claimedSOL } = answer;
    const receipt: ClaimReceipt = { success, transactionHash: named, claimedSOL };
    if (!signed.isNamed(named)) {
      throw new ClaimReceiptError(receipt, signed.agentSignature, `it names ${named}`);
    }
    if (!rpc) return receipt;
    const { signerIndex } = signed;
    const agent = { address: this.#api.signer.publicKey, signerIndex };
    return verifyClaim(rpc.until(options.signal), receipt, agent);
  }

  /** @returns the tokens' pools if the claim takes from a sandbox's vaults, otherwise none */
  async #sandboxPools(
    mints: readonly string[],
    transaction: string,
    options: CallOptions,
  ): Promise<string[]> {
    if (!this.#api.settings.mayBeSandbox) return [];
    if (!(await needsSandboxPool(decodeClaim(transaction)))) return [];
    const pools: string[] = [];
    for (const mint of mints) {
      const path = `/api/v1/tokens/${addressSegment(mint)}`;
      pools.push((await this.#api.get(path, answers.Token, options)).poolAddress);
    }
    return pools;
  }
}

function payeesOf(to: NonNullable<PrepareClaimOptions["to"]>, force = false) {
  return { receivers: receiversOf(to), ...(force && { force }) };
}

/** @returns whether what was submitted may have landed in spite of this error */
export function hasUnknownOutcome(error: unknown): error is Error {
  if (error instanceof ServerError) return !(error instanceof ChainRefusedError);
  return [ConnectionError, TimeoutError, InvalidResponseError].some(
    (type) => error instanceof type,
  );
}
