import { createHash } from "node:crypto";
import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol, parseUnits } from "@tokenctl/shared/sol";
import type {
  LaunchAccepted,
  LaunchList,
  LaunchRequest,
  LaunchStatus,
  LaunchStatusName,
} from "@tokenctl/shared/types";
import { CANCELLED, type LaunchPayer } from "@tokenctl/shared/words";
import { BoundedMap } from "../../base/cache.ts";
import { GroupCommit } from "../../base/group-commit.ts";
import { ServiceError } from "../../base/service-error.ts";
import {
  type IntakeLimits,
  type LaunchBudget,
  type LaunchLimits,
  UNBOUNDED,
} from "../../domain/intake-limits.ts";
import type { LaunchOrder, LaunchWait, Trouble } from "../../domain/launch.ts";
import { parseSolAmount, validationError } from "../../http/body.ts";
import { NOT_PAUSED } from "../../http/endpoint.ts";
import { encodeCursor, type PageRequest } from "../../http/parameters.ts";
import type { IntakeOutcome } from "../../store/intake.ts";
import type { LaunchSummary, NewLaunch } from "../../store/launch-row.ts";
import type { Store } from "../../store/store.ts";
import { IMAGE_GONE, LaunchGate, type Objected, refusalError } from "./refusals.ts";

const ACCEPTED = "Launch accepted. You will be notified on deployment by its status and an event.";
/** A commit of 5,000 launches takes 5 s on PostgreSQL, longer than a statement may. */
const MAX_BATCH = 512;

export interface LaunchServiceOptions {
  readonly limits?: LaunchLimits;
  readonly budget?: LaunchBudget;
  readonly images?: { hashOf(imageUrl: string): string | null };
  /** Returns what all untried launches wait for; null if each only waits for its turn. */
  readonly trouble?: () => Trouble | null;
  readonly gate?: LaunchGate;
  /** Simulates an agent-paid launch. @returns why it would be refused, or null */
  readonly findRefusal?: (launch: LaunchOrder) => Promise<ServiceError | null>;
}

interface Answered extends Pick<LaunchOrder, "ticker" | "wallet" | "eventId"> {
  readonly payer?: LaunchPayer | null | undefined;
  readonly now: number;
}

/** Accepts launches and reports their status. The worker does the rest. */
export class LaunchService {
  readonly #limits: LaunchLimits;
  readonly #gate: LaunchGate;
  readonly #inserts: GroupCommit<NewLaunch, IntakeOutcome>;
  /** Final statuses of launches with a token, by event id, for agents that keep polling. */
  readonly #deployed = new BoundedMap<string, { wallet: string; status: LaunchStatus }>(10_000);

  constructor(
    private readonly store: Pick<Store, "clock" | "launches">,
    private readonly onAccepted: (payer: LaunchPayer) => void,
    private readonly options: LaunchServiceOptions = {},
  ) {
    const { limits = UNBOUNDED, gate = new LaunchGate(NOT_PAUSED, null) } = options;
    this.#limits = limits;
    this.#gate = gate;
    this.#inserts = new GroupCommit((batch) => {
      const areOfAgents = batch.every(({ payer }) => payer === "agent");
      return store.launches.insert(batch, this.#limitsNow(areOfAgents));
    }, MAX_BATCH);
  }

  #limitsNow(areOfAgents: boolean): IntakeLimits {
    const budget = areOfAgents ? null : this.options.budget?.dayBudget();
    return { ...this.#limits, budget: budget ?? null };
  }

  #trouble(): Trouble | null {
    return this.options.trouble?.() ?? null;
  }

  /** Resolves once the launch is on disk. A used key returns the launch that has it. */
  async register(
    wallet: string,
    request: LaunchRequest,
    {
      idempotencyKey = null,
      address = null,
    }: { readonly idempotencyKey?: string | null; readonly address?: string | null } = {},
  ): Promise<LaunchAccepted> {
    const { imageUrl = null } = request;
    // An empty hash matches no stored image, so the store refuses the launch.
    const imageHash = imageUrl === null ? null : (this.options.images?.hashOf(imageUrl) ?? null);
    const [objected = null] = await this.#gate.objections(wallet);
    const now = this.store.clock.now();
    const eventId =
      idempotencyKey === null ? crypto.randomUUID() : eventIdOf(wallet, idempotencyKey);
    const inserting = this.#inserts.add({
      eventId,
      wallet,
      name: request.name,
      onChainName: request.onChainName ?? null,
      ticker: request.ticker,
      description: request.description ?? null,
      imageUrl,
      imageHash,
      website: request.website ?? null,
      twitter: request.twitter ?? null,
      telegram: request.telegram ?? null,
      createdAt: now,
      ...readPayment(request, this.#limits.payers),
      address,
      objection: objected?.code ?? null,
      requestHash: idempotencyKey === null ? null : hashOf(request),
    });
    const outcome = await inserting.catch((cause: unknown) => {
      throw new ServiceError("register_failed", { cause });
    });
    return this.#answer(outcome, objected, { ...request, wallet, eventId, now });
  }

  async status(wallet: string, eventId: string): Promise<LaunchStatus> {
    const known = this.#deployed.get(eventId);
    if (known?.wallet === wallet) return known.status;
    const launch = await this.store.launches.find(wallet, eventId);
    if (!launch) throw new ServiceError("launch_not_found");
    const status = toStatus(launch, this.#trouble());
    if (status.status === "success") this.#deployed.set(eventId, { wallet, status });
    return status;
  }

  async list(
    wallet: string,
    status: LaunchStatusName | null,
    page: PageRequest,
  ): Promise<LaunchList> {
    const { rows, next } = await this.store.launches.list(wallet, status, page);
    const trouble = this.#trouble();
    return {
      launches: rows.map((row) => ({
        ...toStatus(row, trouble),
        tokenName: row.name,
        createdAt: new Date(row.createdAt).toISOString(),
      })),
      ...(next !== null && { nextCursor: encodeCursor(next) }),
    };
  }

  async cancel(wallet: string, eventId: string): Promise<LaunchStatus> {
    const outcome = await this.store.launches.cancel(wallet, eventId, CANCELLED);
    switch (outcome.kind) {
      case "unknown":
        throw new ServiceError("launch_not_found");
      case "signed":
        throw new ServiceError("not_cancellable", { advice: "Its transaction is signed already." });
      case "ended":
        throw new ServiceError("not_cancellable", { advice: `Its status is ${outcome.status}.` });
    }
    return this.status(wallet, eventId);
  }

  /** Queues a launch again under its own ticker. An agent-paid one gets a new deadline. */
  async retry(
    wallet: string,
    eventId: string,
    address: string | null = null,
  ): Promise<LaunchAccepted> {
    const launch = await this.store.launches.read(wallet, eventId);
    if (launch?.payer === "agent" && ["failed", "rate_limited"].includes(launch.status)) {
      const refusal = await this.options.findRefusal?.(launch);
      if (refusal) throw refusal;
    }
    const [objected = null] = await this.#gate.objections(wallet);
    const now = this.store.clock.now();
    const request = { wallet, eventId, address, now, objection: objected?.code ?? null };
    const outcome = await this.store.launches.retry(
      request,
      this.#limitsNow(launch?.payer === "agent"),
    );
    const { ticker = "", payer } = launch ?? {};
    return this.#answer(outcome, objected, { ticker, payer, wallet, eventId, now });
  }

  async #answer(
    outcome: IntakeOutcome,
    objected: Objected | null,
    { ticker, payer, wallet, eventId, now }: Answered,
  ): Promise<LaunchAccepted> {
    const { kind } = outcome;
    switch (kind) {
      case "stored":
        this.onAccepted(payer ?? "operator");
        return { success: true, eventId, message: ACCEPTED };
      case "replayed":
        return { success: true, eventId, message: ACCEPTED, replayed: true };
      case "key_reused":
        throw new ServiceError("idempotency_mismatch");
      case "image_gone":
        throw validationError([IMAGE_GONE]);
      case "unknown":
        throw new ServiceError("launch_not_found");
      case "not_paid":
        throw new ServiceError("not_retryable", {
          advice: "The service no longer pays for launches; launch a token that you pay for.",
        });
      case "not_ended":
        throw new ServiceError("not_retryable", {
          advice: `Its status is ${outcome.status}; only failed and rate_limited launches can be retried.`,
        });
    }
    if (kind === objected?.code) throw objected.error;
    const { tickerOwner = null } =
      kind === "ticker_taken" ? await this.store.launches.intakeState({ wallet, ticker, now }) : {};
    const ownLaunch = tickerOwner?.wallet === wallet ? tickerOwner : null;
    throw refusalError(kind, { ticker, now, ownLaunch }, this.#limits);
  }
}

const MAX_FIRST_BUY = BigInt(limits.firstBuySOL.max) * LAMPORTS_PER_SOL;

export type Payment = Pick<LaunchOrder, "payer" | "firstBuy">;

/** @throws {ServiceError} 400 if the payer is not one of `payers`, or may not make a first buy */
export function readPayment(
  request: Pick<LaunchRequest, "payer" | "firstBuySOL" | "firstBuyMinTokens">,
  payers: readonly LaunchPayer[],
): Payment {
  // A client that names no payer may not know that agents can pay, and would sign nothing.
  const { payer = "operator", firstBuySOL, firstBuyMinTokens } = request;
  const refusal = (field: string, message: string) => validationError([{ field, message }]);
  if (!payers.includes(payer))
    throw refusal("payer", `must be ${payers.join(" or ")} at this service`);
  if (firstBuySOL === undefined) {
    if (firstBuyMinTokens !== undefined) throw refusal("firstBuyMinTokens", "needs `firstBuySOL`");
    return payer === "agent" ? { payer, firstBuy: null } : {};
  }
  if (payer !== "agent") throw refusal("firstBuySOL", "needs `payer`: `agent`, who pays for it");
  const lamports = parseSolAmount("firstBuySOL", firstBuySOL, MAX_FIRST_BUY);
  return { payer, firstBuy: { lamports, minUnits: parseUnits(firstBuyMinTokens ?? "0") } };
}

/**
 * Makes a UUID of version 4 of a hash of the key. A repeat is the same launch, and makes no second
 * token even if the database lost the first, because the mint follows from the id.
 */
function eventIdOf(wallet: string, idempotencyKey: string): string {
  const hash = createHash("sha256").update(`launch ${wallet} ${idempotencyKey}`).digest("hex");
  const part = (start: number, length: number) => hash.slice(start, start + length);
  return `${part(0, 8)}-${part(8, 4)}-4${part(12, 3)}-8${part(15, 3)}-${part(18, 12)}`;
}

/** Hashes a launch's fields in a fixed order, to 132 bits. */
function hashOf(request: LaunchRequest): string {
  const { name, onChainName = null, ticker, description = null, imageUrl = null } = request;
  const { website = null, twitter = null, telegram = null } = request;
  const { payer, firstBuySOL, firstBuyMinTokens } = request;
  const fields = [name, onChainName, ticker, description, imageUrl, website, twitter, telegram];
  const paid = [payer, firstBuySOL, firstBuyMinTokens];
  if (paid.some((it) => it !== undefined)) fields.push(...paid.map((it) => `${it}`));
  return createHash("sha256").update(JSON.stringify(fields)).digest("base64url").slice(0, 22);
}

function toStatus(launch: LaunchSummary, trouble: Trouble | null): LaunchStatus {
  const deployed = launch.status === "success";
  return {
    eventId: launch.eventId,
    ticker: launch.ticker,
    status: launch.status,
    processedAt: launch.processedAt === null ? null : new Date(launch.processedAt).toISOString(),
    tokenMint: deployed ? launch.tokenMint : null,
    poolAddress: deployed ? launch.poolAddress : null,
    error: launch.error,
    ...(launch.payer && { payer: launch.payer }),
    ...(launch.status !== "pending" &&
      launch.agentLamports !== null && { costSOL: lamportsToSol(launch.agentLamports) }),
    ...(launch.wait?.reason === "agent_signature" &&
      launch.signBy !== null && { signBy: new Date(launch.signBy).toISOString() }),
    ...(launch.wait && toWaiting(launch.wait, launch.createdAt, trouble)),
  };
}

/** While the chain is stalled, launches that wait for one of these wait for the stall to end. */
const STALLED: ReadonlySet<string> = new Set(["queue", "confirmation", "chain_unavailable"]);

function toWaiting(
  wait: LaunchWait,
  createdAt: number,
  trouble: Trouble | null,
): Pick<LaunchStatus, "waitingFor" | "waitingSince"> {
  const isStalled = trouble?.reason === "chain_stalled" && STALLED.has(wait.reason);
  // While it stalls each expired attempt starts a new wait for confirmation.
  const since = isStalled ? createdAt : wait.since;
  const isCommon = trouble !== null && (isStalled || wait.reason === "queue");
  return {
    waitingFor: isCommon ? trouble.reason : wait.reason,
    waitingSince: new Date(isCommon ? Math.max(since, trouble.since) : since).toISOString(),
  };
}
