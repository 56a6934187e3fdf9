import type { ClaimReceipt, PreparedClaim } from "@tokenctl/shared/types";
import { needsSandboxPool } from "../claim-check.ts";
import { ClaimReceiptError } from "../claim-errors.ts";
import type { CallOptions, ClaimOptions, ClaimResult } from "../options.ts";
import { decodeClaim, signClaim } from "../sign-claim.ts";
import { answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { priceOnCluster } from "./cluster.ts";
import { addressSegment } from "./request-parts.ts";
import { Rpc } from "./rpc.ts";
import type { Settings } from "./settings.ts";
import { verifyClaim } from "./verify-claim.ts";
import { readSignedClaim } from "./wire-transaction.ts";

/** The three steps of a claim. `TokenctlClient` documents what each promises. */
export class ClaimSteps {
  readonly #api: Api;
  readonly #settings: Settings;
  readonly #rpc: Rpc | null;

  constructor(api: Api, settings: Settings) {
    this.#api = api;
    this.#settings = settings;
    const { rpcUrl, fetch, retry: policy, timeoutMs } = settings;
    this.#rpc = rpcUrl === null ? null : new Rpc(rpcUrl, fetch, { policy, timeoutMs });
  }

  async prepare(mint: string, options: CallOptions): Promise<PreparedClaim> {
    return this.#api.callSignedIn(
      {
        method: "POST",
        path: claimPath(mint),
        answer: answers.preparedClaim,
        repeat: "repeatable",
      },
      options,
    );
  }

  async sign(mint: string, transaction: string, options: ClaimOptions): Promise<string> {
    const { approve, signal } = options;
    const { signer } = this.#api;
    const terms = {
      tokenMint: mint,
      maxNetworkFeeLamports: this.#settings.maxNetworkFeeLamports,
      sandboxPool: await this.#sandboxPool(mint, transaction, { signal }),
    };
    return signClaim(signer, transaction, terms, async (cost) => {
      const price = this.#rpc ? await priceOnCluster(this.#rpc, mint, cost, signal) : cost;
      await approve?.(price);
    });
  }

  async submit(
    mint: string,
    signedTransaction: string,
    options: CallOptions,
  ): Promise<ClaimResult> {
    const signed = readSignedClaim(signedTransaction);
    const answer = await this.#api.callSignedIn(
      {
        method: "POST",
        path: claimPath(mint),
        body: { signedTransaction },
        answer: answers.claimReceipt,
        repeat: "repeatable",
        timeoutMs: this.#settings.submitTimeoutMs,
      },
      options,
    );
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

  /** @returns the token's pool if the claim takes from a sandbox's vaults, otherwise undefined */
  async #sandboxPool(
    mint: string,
    transaction: string,
    options: CallOptions,
  ): Promise<string | undefined> {
    if (!this.#settings.mayBeSandbox) return undefined;
    if (!(await needsSandboxPool(decodeClaim(transaction)))) return undefined;
    const path = `/api/v1/tokens/${addressSegment(mint)}`;
    const { poolAddress } = await this.#api.get(path, answers.token, options);
    return poolAddress;
  }
}

function claimPath(mint: string): string {
  return `/api/v1/tokens/claims/${addressSegment(mint)}`;
}
