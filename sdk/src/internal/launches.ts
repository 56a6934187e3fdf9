import { buysFirstAtLowestFee } from "@tokenctl/shared/programs/curve-terms";
import { lamportsToSol, parseUnits, solToLamports } from "@tokenctl/shared/sol";
import { onChainNameOf, onChainSymbol } from "@tokenctl/shared/token-name";
import type {
  LaunchAccepted,
  LaunchCheck,
  LaunchCost,
  LaunchRequest,
  PreparedLaunch,
} from "@tokenctl/shared/types";
import { ApiError } from "../api-error.ts";
import { checkLaunchTransaction, named } from "../check-transaction.ts";
import { MOST_PER_BYTE } from "../claim-check/cost.ts";
import { isMarked, refuseTransaction as refuse } from "../claim-check/instruction.ts";
import { OverLimitError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { InvalidArgumentError, InvalidResponseError } from "../errors.ts";
import type { LaunchStatus } from "../narrowed-answers.ts";
import { narrowedAnswers } from "../narrowed-answers.ts";
import type { AgentLaunchOptions, CallOptions, LaunchApproval, LaunchOptions } from "../options.ts";
import { answers } from "./answers.ts";
import type { Api } from "./api.ts";
import { toApiError } from "./api-error.ts";
import { checkName, idempotencyKey, solAmount, uuidSegment } from "./arguments.ts";
import { feeTerms, readConfig } from "./cluster.ts";
import { greedOf } from "./first-buy.ts";
import { leaving, type Offer, signAndSubmit } from "./sign-and-submit.ts";
import { decodeTransaction } from "./signed.ts";

const LAUNCH = "/api/v1/tokens/launch";
const DEFAULT_MAX_COST_SOL = 0.1;
/** After these refusals a new transaction is needed. */
const OUTDATED: readonly ApiErrorCode[] = ["launch_expired", "launch_mismatch"];
const COULD_LAND = "its transaction could land on a real chain";
/** Milliseconds to cancel a launch, even if its call was aborted. */
const CANCEL_MS = 10_000;

type Signing = Omit<AgentLaunchOptions, "signal">;

export class Launches {
  constructor(private readonly api: Api) {}

  check(request: LaunchRequest, call: CallOptions): Promise<LaunchCheck> {
    const check = { path: `${LAUNCH}/check`, body: request, answer: answers.LaunchCheck };
    return this.api.post({ ...check, repeat: "read" }, call);
  }

  async status(eventId: string, call: CallOptions, wait = 0): Promise<LaunchStatus> {
    const path = `${LAUNCH}/status/${uuidSegment(eventId)}${wait > 0 ? `?wait=${wait}` : ""}`;
    const repeat = wait > 0 ? "never" : "read";
    const asked = { path, answer: narrowedAnswers.launch, repeat } as const;
    const launch = await this.api.getLater(asked, wait, call);
    if (launch.eventId.toLowerCase() === eventId.toLowerCase()) return launch;
    throw new InvalidResponseError(`This is the status of another launch, ${launch.eventId}`, 200);
  }

  cancel(eventId: string, call: CallOptions): Promise<LaunchStatus> {
    const path = `${LAUNCH}/${uuidSegment(eventId)}/cancel`;
    return this.api.post({ path, answer: narrowedAnswers.launch }, call);
  }

  async launch(
    request: LaunchRequest,
    { idempotencyKey: key, allowShortenedName, ...options }: LaunchOptions,
  ): Promise<LaunchAccepted> {
    const { signing, call } = split(options);
    checkName(request, { allowShortenedName });
    const isPaid = request.payer === "agent";
    if (isPaid) await this.#ensurePayable(request, signing, call);
    const headers = { "idempotency-key": idempotencyKey(key) };
    const answer = answers.LaunchAccepted;
    const accepted = await this.api.post({ path: LAUNCH, headers, body: request, answer }, call);
    const { eventId } = accepted;
    if (!isPaid) return accepted;
    // Only a key from the caller can belong to an earlier call.
    const isReplay = key !== undefined && accepted.replayed === true;
    try {
      if (isReplay && !(await this.#waitsForAgent(eventId, call))) return accepted;
    } catch (error) {
      throw leaving(error, { eventId, hint: waits(eventId) });
    }
    return this.#sign(eventId, request, { ...signing, isOwn: !isReplay }, call);
  }

  async sign(
    eventId: string,
    request: LaunchRequest,
    options: AgentLaunchOptions,
  ): Promise<LaunchAccepted> {
    const { signing, call } = split(options);
    return this.#sign(eventId, request, { ...signing, isOwn: false }, call);
  }

  async #waitsForAgent(eventId: string, call: CallOptions): Promise<boolean> {
    return (await this.status(eventId, call)).waitingFor === "agent_signature";
  }

  /** Returns whether another call signed the launch, or it ended `success` or `rate_limited`. */
  async #isDone(eventId: string, isOwn: boolean, call: CallOptions): Promise<boolean> {
    if (!isOwn) return !(await this.#waitsForAgent(eventId, call));
    const { status } = await this.status(eventId, call);
    return status === "success" || status === "rate_limited";
  }

  /** Refuses a launch that is certain to fail or to cost too much, before the server stores it. */
  async #ensurePayable(request: LaunchRequest, signing: Signing, call: CallOptions): Promise<void> {
    const allowed = mostLamports(request, signing);
    const { payment, refusals } = await this.check(request, call);
    // Without a price, the check comes later. The agent's launch with this ticker may be this one.
    if (!payment || refusals.some(({ eventId }) => eventId !== undefined)) return;
    const { config, costSOL, requiredSOL, balanceSOL, canPay } = payment;
    this.#ensureKnown(config, signing.expectedConfig);
    const needed = solToLamports(costSOL.total) - solToLamports(costSOL.networkFee);
    if (needed > allowed) throw new OverLimitError("maxCostSOL", { needed, allowed });
    if (canPay) return;
    const error = "The wallet cannot pay for the launch";
    const body = { error, code: "launch_unaffordable", requiredSOL, balanceSOL };
    const answer = { status: 409, body, requestId: null, retryAfter: null };
    throw toApiError(answer, this.api.signer.publicKey);
  }

  /** Refuses a config that nothing proves, and a missing one if a real chain is expected. */
  #ensureKnown(config: string | null, expected: string | undefined, real?: string): void {
    const { rpc, maySandbox } = this.api.settings;
    if (config === null) {
      const known = expected ?? (maySandbox ? undefined : rpc?.origin);
      const why = known === undefined ? real : `${known} is of a real chain`;
      if (why === undefined) return;
      refuse(`the server names no config, and ${why}`, "launch");
    }
    if (expected !== undefined && config !== expected) {
      refuse(`its config is ${config} instead of ${expected}`, "launch");
    }
    if (rpc || expected !== undefined) return;
    throw new InvalidArgumentError(
      "Nothing shows what the launch's config takes: set rpcUrl or expectedConfig",
    );
  }

  async #sign(
    eventId: string,
    request: LaunchRequest,
    { isOwn, ...signing }: Signing & { readonly isOwn: boolean },
    call: CallOptions,
  ): Promise<LaunchAccepted> {
    const path = `${LAUNCH}/${uuidSegment(eventId)}/transaction`;
    const allowed = mostLamports(request, signing);
    const { approve } = signing;
    let submitted: LaunchApproval | null = null;
    const order = {
      what: "launch",
      signer: this.api.signer,
      outdated: OUTDATED,
      prepare: () => this.api.post({ path, answer: answers.PreparedLaunch }, call),
      check: async (prepared: PreparedLaunch) => {
        const { approval, lamports } = await named("launch", () =>
          this.#check(prepared, request, { ...signing, ...call }),
        );
        // An earlier signed transaction may still land. With the same mint, only one of them can.
        const mint = submitted?.tokenMint ?? approval.tokenMint;
        if (approval.tokenMint !== mint) {
          const saw = `its mint is ${approval.tokenMint}, and one with the mint ${mint} is signed`;
          refuse(saw, "launch");
        }
        if (lamports > allowed) {
          throw new OverLimitError("maxCostSOL", { needed: lamports, allowed });
        }
        return approval;
      },
      submit: (signedTransaction: string, offer: Offer<PreparedLaunch, LaunchApproval>) => {
        submitted = offer.approval;
        const signed = { path, body: { signedTransaction }, answer: answers.LaunchAccepted };
        return this.api.post(signed, call);
      },
    } as const;
    try {
      return await signAndSubmit(order, { approve, ...call });
    } catch (error) {
      const isOver = error instanceof ApiError && error.code === "not_signable";
      const isAlone = isOwn || submitted !== null;
      if (isOver && (await this.#isDone(eventId, isAlone, call))) {
        return { success: true, eventId, message: error.text };
      }
      if (submitted !== null) throw leaving(error, { eventId, hint: mayLand(eventId) });
      if (isOwn && (await this.#isCancelled(eventId))) throw error;
      throw leaving(error, { eventId, hint: waits(eventId) });
    }
  }

  /** Cancels a launch, only for the call that stored it, and only if nothing was submitted. */
  async #isCancelled(eventId: string): Promise<boolean> {
    const cancelling = this.cancel(eventId, { signal: AbortSignal.timeout(CANCEL_MS) });
    return cancelling.then(() => true).catch(() => false);
  }

  async #check(
    { config: named, metadataUri, tokenMint, transaction, costSOL }: PreparedLaunch,
    request: LaunchRequest,
    { expectedConfig, signal }: AgentLaunchOptions,
  ): Promise<{ readonly approval: LaunchApproval; readonly lamports: bigint }> {
    const bytes = decodeTransaction(transaction);
    const { settings, signer } = this.api;
    const mayBeSandbox = settings.maySandbox && expectedConfig === undefined;
    const isSandbox = mayBeSandbox && isMarked(bytes);
    if (!isSandbox) this.#ensureKnown(named, expectedConfig, COULD_LAND);
    const config = isSandbox ? null : (expectedConfig ?? named);
    const uri = isSandbox ? null : metadataUri;
    if (!isSandbox && !uri?.endsWith(`/metadata/${tokenMint}.json`)) {
      refuse(`its metadata is at ${uri}`);
    }
    const node = config === null ? undefined : settings.rpc?.until(signal);
    const read = node && (await readConfig(node, config ?? ""));
    const asked = firstBuyOf(request);
    // The server may have named another config than for the quote.
    const greed = read && asked && expectedConfig === undefined ? greedOf(read) : null;
    if (greed !== null) refuse(`the partner of its config ${config} ${greed}`);
    const shown = read && { atLowestFee: buysFirstAtLowestFee(read) };
    const firstBuy = asked && { ...asked, ...shown };
    const checked = await checkLaunchTransaction(bytes, {
      ...(await feeTerms(settings, bytes, signal)),
      agent: signer.publicKey,
      config,
      name: onChainNameOf(request),
      symbol: onChainSymbol(request.ticker),
      uri: uri ?? "",
      firstBuy,
    });
    if (checked.tokenMint !== tokenMint) refuse(`its mint is ${checked.tokenMint}`);
    const { poolAddress, tokenStandard, rentBytes, metadataFeeLamports } = checked;
    const perByte = checked.lamportsPerByte ?? read?.lamportsPerByte ?? MOST_PER_BYTE;
    // Only the chain proves what a config takes; without a node, the client believes the server.
    const told = isSandbox ? 0n : solToLamports(costSOL.creationFee) - metadataFeeLamports;
    const taken = read?.poolCreationFee ?? (told > 0n ? told : 0n);
    const cost = {
      rent: rentBytes * perByte,
      networkFee: checked.networkFeeLamports,
      creationFee: metadataFeeLamports + taken,
      firstBuy: checked.firstBuyLamports,
    };
    const lamports = Object.values(cost).reduce((sum, part) => sum + part, 0n);
    const inSOL = Object.entries({ total: lamports, ...cost }).map(
      ([part, of]) => [part, lamportsToSol(of)] as const,
    );
    const approval = {
      tokenMint,
      poolAddress,
      tokenStandard,
      config,
      metadataUri: uri,
      firstBuyMinUnits: firstBuy?.minUnits ?? 0n,
      costSOL: Object.fromEntries(inSOL) as unknown as LaunchCost,
      ...(read && { creatorSharePercent: read.creatorTradingFeePercentage }),
    };
    return { approval, lamports };
  }
}

function split({ maxCostSOL, expectedConfig, approve, ...call }: AgentLaunchOptions) {
  return { signing: { maxCostSOL, expectedConfig, approve }, call };
}

function firstBuyOf({ firstBuySOL, firstBuyMinTokens = "0" }: LaunchRequest) {
  if (firstBuySOL === undefined) return undefined;
  return { lamports: solToLamports(firstBuySOL), minUnits: parseUnits(firstBuyMinTokens) };
}

function mostLamports(request: LaunchRequest, { maxCostSOL, expectedConfig, approve }: Signing) {
  const { firstBuySOL, firstBuyMinTokens } = request;
  if (firstBuySOL !== undefined && !(firstBuyMinTokens ?? expectedConfig ?? approve)) {
    throw new InvalidArgumentError("Nothing limits what the first buy gets", {
      hint: "Set firstBuyMinTokens (quoteFirstBuy proposes one) or expectedConfig, or decide in approve",
    });
  }
  return solAmount("maxCostSOL", maxCostSOL ?? (firstBuySOL ?? 0) + DEFAULT_MAX_COST_SOL);
}

const mayLand = (eventId: string) =>
  `What was signed of the launch ${eventId} may still land: waitForLaunch("${eventId}") says how it ends, and signLaunch("${eventId}", request) signs it again if it waits for agent_signature`;

const waits = (eventId: string) =>
  `The launch ${eventId} may still wait for the signature, and hold its ticker: signLaunch("${eventId}", request) signs it, cancelLaunch("${eventId}") drops it`;
