import type { ClaimReceipt, PreparedClaim, PreparedClaims } from "@tokenctl/shared/types";
import type { ClaimCost } from "../claim-check/terms.ts";
import { checkClaimTransaction, needsSandboxPool } from "../claim-check.ts";
import { ClaimCheckError, ClaimReceiptError } from "../claim-errors.ts";
import type { CallOptions, ClaimManyResult, ClaimOptions, ClaimResult } from "../options.ts";
import { decodeClaim, signChecked } from "../sign-claim.ts";
import type { Answer } from "./answer.ts";
import { answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { type CheckedClaim, claimFees } from "./claim-fees.ts";
import { priceOnCluster } from "./cluster.ts";
import { addressSegment } from "./request-parts.ts";
import { Rpc } from "./rpc.ts";
import type { Settings } from "./settings.ts";
import { verifyClaim } from "./verify-claim.ts";
import { readSignedClaim } from "./wire-transaction.ts";

/** How one token is claimed, or several. */
interface ClaimOf<Prepared, Result> {
  readonly mints: (prepared: Prepared) => readonly string[];
  readonly prepare: (call: CallOptions) => Promise<Prepared>;
  readonly submit: (prepared: Prepared, signed: string, call: CallOptions) => Promise<Result>;
}

/** The three steps of a claim. `TokenctlClient` documents what each promises. */
export class ClaimSteps {
  readonly #api: Api;
  readonly #settings: Settings;
  readonly #rpc: Rpc | null;

  constructor(api: Api, settings: Settings) {
    this.#api = api;
    this.#settings = settings;
    const { rpcUrl } = settings;
    this.#rpc = rpcUrl === null ? null : new Rpc(rpcUrl, settings);
  }

  async prepare(mint: string, options: CallOptions): Promise<PreparedClaim> {
    return this.#api.post({ path: claimPath(mint), answer: answers.PreparedClaim }, options);
  }

  /** @throws {ClaimCheckError} if the server answers with a token that was not asked for */
  async prepareMany(mints: readonly string[], options: CallOptions): Promise<PreparedClaims> {
    const body = { tokenMints: mints };
    const request = { path: CLAIMS, body, answer: answers.PreparedClaims };
    const prepared = await this.#api.post(request, options);
    const { tokenMints } = prepared;
    const foreign = tokenMints.find((mint) => !mints.includes(mint));
    if (foreign !== undefined || tokenMints.length === 0) {
      const saw = foreign === undefined ? "it names no token" : `it was not asked for ${foreign}`;
      throw new ClaimCheckError({ instruction: null, program: null, saw });
    }
    return prepared;
  }

  /** Claims the fees of one token: all steps. */
  claim(mint: string, options: ClaimOptions): Promise<ClaimResult> {
    return this.#claim(options, {
      mints: () => [mint],
      prepare: (call) => this.prepare(mint, call),
      submit: (_, signed, call) => this.submit(mint, signed, call),
    });
  }

  /** Claims the fees of several tokens with one transaction: all steps. */
  claimMany(asked: readonly string[], options: ClaimOptions): Promise<ClaimManyResult> {
    return this.#claim<PreparedClaims, ClaimManyResult>(options, {
      mints: ({ tokenMints }) => tokenMints,
      prepare: (call) => this.prepareMany(asked, call),
      submit: async ({ tokenMints }, signed, call) => {
        const body = { tokenMints, signedTransaction: signed };
        const receipt = await this.#submit(CLAIMS, answers.ClaimsReceipt, body, call);
        return { ...receipt, tokenMints };
      },
    });
  }

  #claim<Prepared extends PreparedClaim, Result>(
    { approve, onRenew, ...call }: ClaimOptions,
    { mints, prepare, submit }: ClaimOf<Prepared, Result>,
  ): Promise<Result> {
    const attempt = {
      prepare: () => this.#prepareChecked(mints, () => prepare(call), call),
      sign: (prepared: Prepared, expiresAt: Date) => this.sign(prepared, expiresAt),
      submit: (prepared: Prepared, signed: string) => submit(prepared, signed, call),
      tokenMints: mints,
    };
    return claimFees(attempt, { approve, onRenew, ...call });
  }

  /**
   * Prepares a claim and checks it. Its life is counted from the answer, less what the request took: the
   * answer and the signed claim travel as well.
   */
  async #prepareChecked<Prepared extends PreparedClaim>(
    mintsOf: (prepared: Prepared) => readonly string[],
    prepare: () => Promise<Prepared>,
    options: CallOptions,
  ): Promise<CheckedClaim<Prepared>> {
    const askedAt = performance.now();
    const prepared = await prepare();
    const checkedAt = performance.now();
    const statedMs = prepared.expiresInSeconds * 1000;
    const lifeMs = statedMs - Math.min(checkedAt - askedAt, statedMs / 4);
    const cost = await this.check(mintsOf(prepared), prepared.transaction, options);
    return { prepared, cost, lifeMs, checkedAt };
  }

  /** @returns what the claim costs at most; with an RPC, by what is on the cluster */
  async check(
    mints: readonly string[],
    transaction: string,
    { signal }: CallOptions,
  ): Promise<ClaimCost> {
    const cost = await checkClaimTransaction(decodeClaim(transaction), {
      agent: this.#api.signer.publicKey,
      tokenMint: mints,
      maxNetworkFeeLamports: this.#settings.maxNetworkFeeLamports,
      sandboxPool: await this.#sandboxPools(mints, transaction, { signal }),
    });
    return this.#rpc ? priceOnCluster(this.#rpc, mints, cost, signal) : cost;
  }

  /** Has a checked claim signed. */
  sign({ transaction }: Pick<PreparedClaim, "transaction">, expiresAt?: Date): Promise<string> {
    return signChecked(this.#api.signer, decodeClaim(transaction), expiresAt);
  }

  async submit(
    mint: string,
    signedTransaction: string,
    options: CallOptions,
  ): Promise<ClaimResult> {
    const body = { signedTransaction };
    return this.#submit(claimPath(mint), answers.ClaimReceipt, body, options);
  }

  async #submit(
    path: string,
    expected: Answer<ClaimReceipt>,
    body: { readonly signedTransaction: string },
    options: CallOptions,
  ): Promise<ClaimResult> {
    const signed = readSignedClaim(body.signedTransaction);
    const timeoutMs = this.#settings.submitTimeoutMs;
    const answer = await this.#api.post({ path, body, answer: expected, timeoutMs }, options);
    // Field by field: the server must not set the fields that the client itself adds.
    const { success, transactionHash: named, claimedSOL } = answer;
    const receipt: ClaimReceipt = { success, transactionHash: named, claimedSOL };
    if (!signed.isNamed(named)) {
      throw new ClaimReceiptError(receipt, signed.agentSignature, `it names ${named}`);
    }
    if (!this.#rpc) return receipt;
    const { signerIndex } = signed;
    const agent = { address: this.#api.signer.publicKey, signerIndex };
    return verifyClaim(this.#rpc, receipt, agent, options.signal);
  }

  /** @returns the tokens' pools if the claim takes from a sandbox's vaults, otherwise none */
  async #sandboxPools(
    mints: readonly string[],
    transaction: string,
    options: CallOptions,
  ): Promise<string[]> {
    if (!this.#settings.mayBeSandbox) return [];
    if (!(await needsSandboxPool(decodeClaim(transaction)))) return [];
    const pools: string[] = [];
    for (const mint of mints) {
      const path = `/api/v1/tokens/${addressSegment(mint)}`;
      pools.push((await this.#api.get(path, answers.Token, options)).poolAddress);
    }
    return pools;
  }
}

const CLAIMS = "/api/v1/tokens/claims";

function claimPath(mint: string): string {
  return `${CLAIMS}/${addressSegment(mint)}`;
}
