import { createHash } from "node:crypto";
import { errorTexts } from "@tokenctl/shared/errors";
import type { LaunchAccepted, LaunchRequest, LaunchStatus } from "@tokenctl/shared/types";
import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import {
  type InsertOutcome,
  type IntakeLimits,
  type NewLaunch,
  UNBOUNDED,
} from "../../store/launch-intake.ts";
import type { LaunchStore } from "../../store/launches.ts";
import { GroupCommit } from "./group-commit.ts";
import { refused } from "./refused.ts";

const ACCEPTED = "Launch accepted. Poll its status; the agent is told there once it is deployed.";

/** The money that launches may take. */
export interface LaunchBudget {
  /** Whether too little of the day's is left for another launch, as far as is known. */
  isSpentToday(): boolean;
}

const ENDLESS: LaunchBudget = { isSpentToday: () => false };

/** Takes launch requests and tells how they fare. The worker does the rest. */
export class LaunchService {
  readonly #store: LaunchStore;
  readonly #clock: Clock;
  readonly #onAccepted: () => void;
  readonly #limits: IntakeLimits;
  readonly #isSpent: () => boolean;
  readonly #inserts: GroupCommit<NewLaunch, InsertOutcome>;

  /** @param onAccepted called after launches were stored: there is work */
  constructor(
    store: LaunchStore,
    clock: Clock,
    onAccepted: () => void,
    limits = UNBOUNDED,
    budget = ENDLESS,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#onAccepted = onAccepted;
    this.#limits = limits;
    this.#isSpent = () => budget.isSpentToday();
    this.#inserts = new GroupCommit((batch) => store.insert(batch, limits, this.#isSpent));
  }

  /**
   * Accepts a launch. It is on the disk when this resolves.
   *
   * @param idempotencyKey the client's name for this request: sent again, it is accepted once
   * @param address the network address that the request came from; null if nothing counts it
   * @throws {ServiceError} 409 for a taken ticker or a key used with another request, 429 if its
   * agent or its address has had its share, 500 where it cannot be stored, 503 while the queue is
   * full or the day's money is spent
   */
  async register(
    wallet: string,
    request: LaunchRequest,
    idempotencyKey: string | null,
    address: string | null = null,
  ): Promise<LaunchAccepted> {
    const now = this.#clock.now();
    const outcome = await this.#insert({
      eventId: crypto.randomUUID(),
      wallet,
      name: request.name,
      ticker: request.ticker,
      description: request.description ?? null,
      imageUrl: request.imageUrl ?? null,
      createdAt: now,
      address,
      idempotency:
        idempotencyKey === null ? null : { key: idempotencyKey, requestHash: hash(request) },
    });
    switch (outcome.kind) {
      case "key_reused":
        throw new ServiceError("conflict", errorTexts.idempotencyMismatch);
      case "stored":
        this.#onAccepted();
        break;
      case "replayed":
        break;
      default:
        throw refused(outcome.kind, request.ticker, this.#limits, now);
    }
    return { success: true, eventId: outcome.eventId, message: ACCEPTED };
  }

  /** @throws {ServiceError} 404 where this wallet has no such launch */
  status(wallet: string, eventId: string): LaunchStatus {
    const launch = this.#store.find(wallet, eventId);
    if (!launch) throw notFound();
    const deployed = launch.status === "success";
    return {
      eventId: launch.eventId,
      ticker: launch.ticker,
      status: launch.status,
      processedAt: launch.processedAt === null ? null : new Date(launch.processedAt).toISOString(),
      tokenMint: deployed ? launch.tokenMint : null,
      poolAddress: deployed ? launch.poolAddress : null,
      error: launch.error,
    };
  }

  /**
   * Puts a launch that ended `failed` or `rate_limited` back in the queue, under its own ticker.
   *
   * @param address the network address that the request came from; null if nothing counts it
   * @throws {ServiceError} 404 where this wallet has no such launch, 409 where it has not ended so
   * or its ticker is another's by now, 429 if its address has had its share, 503 while the queue is
   * full or the day's money is spent
   */
  retry(wallet: string, eventId: string, address: string | null = null): LaunchAccepted {
    const now = this.#clock.now();
    const outcome = this.#store.retry(
      wallet,
      eventId,
      { address, now },
      this.#limits,
      this.#isSpent,
    );
    switch (outcome.kind) {
      case "unknown":
        throw notFound();
      case "not_ended":
        throw new ServiceError("conflict", errorTexts.notRetryable, {
          advice: `It is ${outcome.status}; only failed and rate_limited launches can be retried.`,
        });
      case "stored":
        this.#onAccepted();
        return { success: true, eventId, message: ACCEPTED };
      default:
        throw refused(outcome.kind, outcome.ticker, this.#limits, now);
    }
  }

  async #insert(launch: NewLaunch): Promise<InsertOutcome> {
    try {
      return await this.#inserts.add(launch);
    } catch (cause) {
      throw new ServiceError("internal", errorTexts.registerFailed, { cause });
    }
  }
}

function notFound(): ServiceError {
  return new ServiceError("not_found", errorTexts.launchNotFound);
}

/** The fields in a fixed order, so that the same request has the same hash however it was written. */
function hash({ name, ticker, description, imageUrl }: LaunchRequest): string {
  const fields = JSON.stringify([name, ticker, description ?? null, imageUrl ?? null]);
  return createHash("sha256").update(fields).digest("base64url");
}
