import { createHash } from "node:crypto";
import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { parseUnits } from "@tokenctl/shared/sol";
import type {
  LaunchAccepted,
  LaunchList,
  LaunchRequest,
  LaunchStatus,
  LaunchStatusName,
} from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";
import { BoundedMap } from "../../base/bounded-map.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { Refusal } from "../../domain/intake.ts";
import {
  type IntakeLimits,
  type LaunchBudget,
  type LaunchLimits,
  UNBOUNDED,
} from "../../domain/intake-limits.ts";
import type { LaunchOrder, Trouble } from "../../domain/launch.ts";
import { parseSolAmount, validationError } from "../../http/body.ts";
import { encodeCursor, type PageRequest } from "../../http/parameters.ts";
import type { InsertOutcome, NewLaunch } from "../../store/launch-row.ts";
import type { Store } from "../../store/store.ts";
import { LaunchGate, type Objected } from "./gate.ts";
import { GroupCommit } from "./group-commit.ts";
import { IMAGE_GONE, refusalError } from "./refusal-error.ts";
import { toStatus } from "./status.ts";

const CANCELLED = "Cancelled by its agent";

const ACCEPTED = "Launch accepted. Poll its status to see when it is deployed.";

/** Of commits to a shared database: while one waits for its answer, others go on. */
const SHARED_COMMITS = { maxInFlight: 2, maxBatch: 128 };

export interface LaunchServiceOptions {
  readonly limits?: LaunchLimits;
  readonly budget?: LaunchBudget;
  readonly images?: {
    hashOf(imageUrl: string): string | null;
  };
  /** Returns what every launch waits for that has not been tried; null if that is only its turn. */
  readonly trouble?: () => Trouble | null;
  readonly gate?: LaunchGate;
  /** Simulates a launch that its agent pays for. @returns why it would be refused, or null */
  readonly findRefusal?: (launch: LaunchOrder) => Promise<ServiceError | null>;
}

interface Asking {
  /** The client's name for a request: it is accepted once under one name. */
  readonly idempotencyKey?: string | null;
  readonly address?: string | null;
}

/** Accepts launches and reports their status. The worker does the rest. */
export class LaunchService {
  readonly #limits: LaunchLimits;
  readonly #gate: LaunchGate;
  readonly #inserts: GroupCommit<NewLaunch, InsertOutcome>;
  /** Launches with a token, by event id, for agents that go on asking: no server changes such a launch any more. */
  readonly #deployed = new BoundedMap<string, { wallet: string; status: LaunchStatus }>(10_000);

  constructor(
    private readonly store: Pick<Store, "clock" | "isShared" | "launches">,
    private readonly onAccepted: (payer: LaunchPayer) => void,
    private readonly options: LaunchServiceOptions = {},
  ) {
    const { limits = UNBOUNDED, gate = new LaunchGate() } = options;
    this.#limits = limits;
    this.#gate = gate;
    this.#inserts = new GroupCommit(
      (batch) => store.launches.insert(batch, this.#limitsNow()),
      store.isShared ? SHARED_COMMITS : undefined,
    );
  }

  #limitsNow(): IntakeLimits {
    return { ...this.#limits, budget: this.options.budget?.dayBudget() ?? null };
  }

  #trouble(): Trouble | null {
    return this.options.trouble?.() ?? null;
  }

  /**
   * Accepts a launch. It is on the disk when this resolves.
   * A key that was used before is answered first: with the launch that was accepted under it, or
   * with 409 if the request differs. Then an image of this service that is not there is answered
   * 400. Then the first reason of `decide` (`domain/intake.ts`) refuses the launch, in the words of
   * `refusalError`.
   */
  async register(
    wallet: string,
    request: LaunchRequest,
    { idempotencyKey = null, address = null }: Asking = {},
  ): Promise<LaunchAccepted> {
    const { imageUrl = null } = request;
    // No image has an empty hash: the launch is refused.
    const imageHash = imageUrl === null ? null : (this.options.images?.hashOf(imageUrl) ?? null);
    const objected = await this.#gate.objection(wallet);
    const now = this.store.clock.now();
    const outcome = await this.#insert({
      eventId: idempotencyKey === null ? crypto.randomUUID() : eventIdOf(wallet, idempotencyKey),
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
      inviteCode: request.inviteCode ?? null,
      objection: objected?.code ?? null,
      requestHash: idempotencyKey === null ? null : hash(request),
    });
    switch (outcome.kind) {
      case "key_reused":
        throw new ServiceError("idempotency_mismatch");
      case "image_gone":
        throw validationError([IMAGE_GONE]);
      case "stored":
        this.onAccepted(request.payer ?? "operator");
        break;
      case "replayed":
        break;
      default:
        throw await this.#refusal(outcome.kind, objected, { wallet, ticker: request.ticker, now });
    }
    const replayed = outcome.kind === "replayed" ? { replayed: true as const } : {};
    return { success: true, eventId: outcome.eventId, message: ACCEPTED, ...replayed };
  }

  async status(wallet: string, eventId: string): Promise<LaunchStatus> {
    const known = this.#deployed.get(eventId);
    if (known?.wallet === wallet) return known.status;
    const launch = await this.store.launches.find(wallet, eventId);
    if (!launch) throw notFound();
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

  /**
   * Ends a pending launch as `failed`, which frees its ticker, unless its transaction is signed and
   * may land. A repeat answers the same. @throws {ServiceError} 404, 409 if it cannot be cancelled
   */
  async cancel(wallet: string, eventId: string): Promise<LaunchStatus> {
    const outcome = await this.store.launches.cancel(wallet, eventId, CANCELLED);
    switch (outcome.kind) {
      case "unknown":
        throw notFound();
      case "signed":
        throw new ServiceError("not_cancellable", { advice: "Its transaction is signed already." });
      case "ended":
        throw new ServiceError("not_cancellable", { advice: `Its status is ${outcome.status}.` });
    }
    return this.status(wallet, eventId);
  }

  /**
   * Puts a launch back in the queue, under its own ticker. One that its agent pays for gets a new deadline,
   * if the wallet can pay. @throws {ServiceError} 404, 409 if it is pending or succeeded, and the refusals of
   * {@link register}
   */
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
    const objected = await this.#gate.objection(wallet);
    const now = this.store.clock.now();
    const request = { wallet, eventId, address, now, objection: objected?.code ?? null };
    const outcome = await this.store.launches.retry(request, this.#limitsNow());
    switch (outcome.kind) {
      case "unknown":
        throw notFound();
      case "not_paid":
        throw new ServiceError("not_retryable", {
          advice: "The service no longer pays for launches; launch a token that you pay for.",
        });
      case "not_ended":
        throw new ServiceError("not_retryable", {
          advice: `Its status is ${outcome.status}; only failed and rate_limited launches can be retried.`,
        });
      case "stored":
        this.onAccepted(launch?.payer ?? "operator");
        return { success: true, eventId, message: ACCEPTED };
      default:
        throw await this.#refusal(outcome.kind, objected, { wallet, ticker: outcome.ticker, now });
    }
  }

  async #refusal(
    kind: Refusal,
    objected: Objected | null,
    { wallet, ticker, now }: { wallet: string; ticker: string; now: number },
  ): Promise<ServiceError> {
    if (kind === objected?.code) return objected.error;
    const { tickerOwner } =
      kind === "ticker_taken"
        ? await this.store.launches.intakeState({ wallet, ticker, now })
        : { tickerOwner: null };
    const ownLaunch = tickerOwner?.wallet === wallet ? tickerOwner : null;
    return refusalError(kind, { ticker, now, ownLaunch }, this.#limits);
  }

  async #insert(launch: NewLaunch): Promise<InsertOutcome> {
    try {
      return await this.#inserts.add(launch);
    } catch (cause) {
      throw new ServiceError("register_failed", { cause });
    }
  }
}

const MAX_FIRST_BUY = BigInt(limits.firstBuySOL.max) * LAMPORTS_PER_SOL;

export type Payment = Pick<LaunchOrder, "payer" | "firstBuy">;

/** @throws {ServiceError} 400 if the payer is not one of those, or does not buy */
export function readPayment(
  request: Pick<LaunchRequest, "payer" | "firstBuySOL" | "firstBuyMinTokens">,
  payers: readonly LaunchPayer[],
): Payment {
  // A client that names none may not know that agents can pay, and then signs nothing.
  const { payer = "operator", firstBuySOL, firstBuyMinTokens = "0" } = request;
  if (!payers.includes(payer)) {
    const message = `must be ${payers.join(" or ")} at this service`;
    throw validationError([{ field: "payer", message }]);
  }
  if (firstBuySOL === undefined) return payer === "agent" ? { payer, firstBuy: null } : {};
  if (payer !== "agent") {
    throw validationError([
      { field: "firstBuySOL", message: "needs `payer`: `agent`, as the agent pays for it" },
    ]);
  }
  const lamports = parseSolAmount("firstBuySOL", firstBuySOL, MAX_FIRST_BUY);
  return { payer, firstBuy: { lamports, minUnits: parseUnits(firstBuyMinTokens) } };
}

function notFound(): ServiceError {
  return new ServiceError("launch_not_found");
}

/**
 * Makes the id of a launch under a key, always the same: a repeat is the same launch, and makes no second
 * token even if the database has lost it, because the mint follows from the id.
 *
 * @returns a UUID of version 4 with bits of a hash
 */
function eventIdOf(wallet: string, idempotencyKey: string): string {
  const hash = createHash("sha256").update(`launch ${wallet} ${idempotencyKey}`).digest("hex");
  const part = (start: number, length: number) => hash.slice(start, start + length);
  return `${part(0, 8)}-${part(8, 4)}-4${part(12, 3)}-8${part(15, 3)}-${part(18, 12)}`;
}

/** Hashes the fields in a fixed order, to 128 bits. An invite's code is no part of the launch. */
function hash(request: LaunchRequest): string {
  const { name, onChainName = null, ticker, description = null, imageUrl = null } = request;
  const { website = null, twitter = null, telegram = null } = request;
  const { payer, firstBuySOL, firstBuyMinTokens } = request;
  const fields = [name, onChainName, ticker, description, imageUrl, website, twitter, telegram];
  const paid = [payer, firstBuySOL, firstBuyMinTokens];
  if (paid.some((it) => it !== undefined)) fields.push(...paid.map((it) => `${it}`));
  return createHash("sha256").update(JSON.stringify(fields)).digest("base64url").slice(0, 22);
}
