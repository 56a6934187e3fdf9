import { lamportsToSol, parseUnits, solToLamports } from "@tokenctl/shared/sol";
import { onChainNameOf, onChainSymbol } from "@tokenctl/shared/token-name";
import type { LaunchAccepted, LaunchRequest, PreparedLaunch } from "@tokenctl/shared/types";
import { ApiError } from "../api-errors.ts";
import { MOST_PER_BYTE } from "../claim-check/rent.ts";
import { LaunchCheckError } from "../claim-errors.ts";
import { checkLaunchTransaction, checkSandboxTransaction } from "../launch-check.ts";
import type { AgentLaunchOptions, LaunchApproval } from "../options.ts";
import { decodeClaim, signChecked } from "../sign-claim.ts";
import { answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { readConfig } from "./cluster.ts";
import { solAmount } from "./parse-options.ts";
import { eventIdSegment } from "./request-parts.ts";

/** What a launch may cost beside its first buy, unless the caller says otherwise. */
const DEFAULT_MAX_COST_SOL = 0.1;
/** How often a transaction is requested, if another has replaced it or it has expired. */
const ATTEMPTS = 3;

const UNBOUNDED = "nothing shows what its config takes: set rpcUrl or expectedConfig";

/** Signs launches that the agent pays for. */
export class LaunchSteps {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** See `TokenctlClient.signLaunch`. */
  async sign(
    eventId: string,
    request: LaunchRequest,
    options: AgentLaunchOptions,
  ): Promise<LaunchAccepted> {
    const { maxCostSOL, expectedConfig, approve, ...call } = options;
    const path = `/api/v1/tokens/launch/${eventIdSegment(eventId)}/transaction`;
    const most = mostLamports(request, maxCostSOL);
    let approved: LaunchApproval | null = null;
    let signedMint: string | null = null;
    for (let attempt = 1; ; attempt++) {
      const prepared = await this.#api.post({ path, answer: answers.PreparedLaunch }, call);
      const expiresAt = new Date(Date.now() + prepared.expiresInSeconds * 1000);
      const terms = { most, expectedConfig, signal: call.signal };
      const approval = await this.#check(prepared, request, terms);
      // What was signed before may still land: only a mint is created once.
      if (signedMint !== null && approval.tokenMint !== signedMint) {
        refuse(`its mint is ${approval.tokenMint}, and one with the mint ${signedMint} is signed`);
      }
      if (approved === null || !coversBoth(approved, approval)) {
        await approve?.(approval, expiresAt, prepared.transaction);
        approved = approval;
      }
      // The approval took longer than the transaction lives: it is requested again.
      if (Date.now() >= expiresAt.getTime() && attempt < ATTEMPTS) continue;
      const unsigned = decodeClaim(prepared.transaction);
      const signedTransaction = await signChecked(this.#api.signer, unsigned, {
        what: "launch",
        expiresAt,
      });
      signedMint = approval.tokenMint;
      try {
        const signed = { path, body: { signedTransaction }, answer: answers.LaunchAccepted };
        return await this.#api.post(signed, call);
      } catch (error) {
        const isReplaced = error instanceof ApiError && error.code === "launch_mismatch";
        if (!isReplaced || attempt === ATTEMPTS) throw error;
      }
    }
  }

  /** @throws {LaunchCheckError} if it is not the launch asked for, or costs more than it may */
  async #check(
    prepared: PreparedLaunch,
    request: LaunchRequest,
    { most, expectedConfig, signal }: CheckTerms,
  ): Promise<LaunchApproval> {
    const { costSOL, tokenMint } = prepared;
    const transaction = decodeClaim(prepared.transaction);
    const agent = this.#api.signer.publicKey;
    const { maxNetworkFeeLamports, mayBeSandbox, rpc } = this.#api.settings;
    if (prepared.config === null) {
      if (!mayBeSandbox) refuse("the server is not known to be a sandbox");
      const sandboxTerms = { agent, tokenMint, most, maxNetworkFeeLamports };
      const cost = await checkSandboxTransaction(transaction, sandboxTerms);
      const total = Math.max(costSOL.total, lamportsToSol(cost.takenLamports));
      const networkFee = lamportsToSol(cost.networkFeeLamports);
      return { tokenMint, costSOL: { ...costSOL, total, networkFee } };
    }
    if (!rpc && expectedConfig === undefined) refuse(UNBOUNDED);
    const config = expectedConfig ?? prepared.config;
    const uri = prepared.metadataUri ?? "";
    if (!uri.endsWith(`/metadata/${tokenMint}.json`)) refuse(`its metadata is at ${uri}`);
    const { firstBuySOL, firstBuyMinTokens = "0" } = request;
    const checked = await checkLaunchTransaction(transaction, {
      agent,
      config,
      name: onChainNameOf(request),
      symbol: onChainSymbol(request.ticker),
      uri,
      maxNetworkFeeLamports,
      firstBuy:
        firstBuySOL === undefined
          ? undefined
          : { lamports: solToLamports(firstBuySOL), minUnits: parseUnits(firstBuyMinTokens) },
    });
    if (checked.tokenMint !== tokenMint) refuse(`its mint is ${checked.tokenMint}`);
    const read = rpc && (await readConfig(rpc.until(signal), config));
    const { networkFeeLamports, metadataFeeLamports, firstBuyLamports, rentBytes } = checked;
    const rent = rentBytes * (read?.lamportsPerByte ?? MOST_PER_BYTE);
    // Only the chain shows what a config takes; without a node, the server says it.
    const creation = read
      ? read.creationLamports + metadataFeeLamports
      : max(solToLamports(costSOL.creationFee), metadataFeeLamports);
    const total = rent + networkFeeLamports + creation + firstBuyLamports;
    if (total > most) refuse(`it costs ${total} lamports, more than the ${most} allowed`);
    return {
      tokenMint,
      costSOL: {
        total: lamportsToSol(total),
        rent: lamportsToSol(rent),
        networkFee: lamportsToSol(networkFeeLamports),
        creationFee: lamportsToSol(creation),
        firstBuy: lamportsToSol(firstBuyLamports),
      },
      ...(read && { creatorSharePercent: read.creatorSharePercent }),
    };
  }
}

/** @throws {InvalidArgumentError} if `maxCostSOL` is not an amount */
export function mostLamports({ firstBuySOL = 0 }: LaunchRequest, maxCostSOL?: number): bigint {
  return solAmount("maxCostSOL", maxCostSOL ?? firstBuySOL + DEFAULT_MAX_COST_SOL);
}

interface CheckTerms {
  readonly most: bigint;
  readonly expectedConfig: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Whether who approved the one launch approved the other too. */
function coversBoth(approved: LaunchApproval, next: LaunchApproval): boolean {
  return (
    next.costSOL.total <= approved.costSOL.total &&
    next.creatorSharePercent === approved.creatorSharePercent
  );
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function refuse(saw: string): never {
  throw new LaunchCheckError({ instruction: null, program: null, saw });
}
