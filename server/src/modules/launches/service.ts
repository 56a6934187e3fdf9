import { createHash } from "node:crypto";
import { errorTexts, tickerExists } from "@tokenctl/shared/errors";
import type { LaunchAccepted, LaunchRequest, LaunchStatus } from "@tokenctl/shared/types";
import type { Clock } from "../../clock.ts";
import { ServiceError } from "../../errors.ts";
import type { InsertOutcome, LaunchStore, NewLaunch } from "../../store/launches.ts";
import { GroupCommit } from "./group-commit.ts";

const ACCEPTED = "Launch accepted. Poll its status; the agent is told there once it is deployed.";

/** When to come again to a full queue, in seconds: some launches have left it by then. */
const QUEUE_FULL_RETRY_SECONDS = 30;

/** Takes launch requests and tells how they fare. The worker does the rest. */
export class LaunchService {
  readonly #store: LaunchStore;
  readonly #clock: Clock;
  readonly #onAccepted: () => void;
  readonly #maxQueue: number;
  readonly #inserts: GroupCommit<NewLaunch, InsertOutcome>;

  /**
   * @param onAccepted called after launches were stored: there is work
   * @param maxQueue the most launches that may be pending
   */
  constructor(
    store: LaunchStore,
    clock: Clock,
    onAccepted: () => void,
    maxQueue = Number.POSITIVE_INFINITY,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#onAccepted = onAccepted;
    this.#maxQueue = maxQueue;
    this.#inserts = new GroupCommit((batch) => store.insert(batch, maxQueue));
  }

  /**
   * Accepts a launch. It is on the disk when this resolves.
   *
   * @param idempotencyKey the client's name for this request: sent again, it is accepted once
   * @throws {ServiceError} 409 for a taken ticker or a key used with another request, 500 where it
   * cannot be stored, 503 while the queue is full
   */
  async register(
    wallet: string,
    request: LaunchRequest,
    idempotencyKey: string | null,
  ): Promise<LaunchAccepted> {
    const outcome = await this.#insert({
      eventId: crypto.randomUUID(),
      wallet,
      name: request.name,
      ticker: request.ticker,
      description: request.description ?? null,
      imageUrl: request.imageUrl ?? null,
      createdAt: this.#clock.now(),
      idempotency:
        idempotencyKey === null ? null : { key: idempotencyKey, requestHash: hash(request) },
    });
    switch (outcome.kind) {
      case "ticker_taken":
        throw new ServiceError("conflict", tickerExists(request.ticker));
      case "key_reused":
        throw new ServiceError("conflict", errorTexts.idempotencyMismatch);
      case "queue_full":
        throw queueFull();
      case "stored":
        this.#onAccepted();
        break;
      case "replayed":
        break;
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
   * @throws {ServiceError} 404 where this wallet has no such launch, 409 where it has not ended so,
   * 503 while the queue is full
   */
  retry(wallet: string, eventId: string): LaunchAccepted {
    const launch = this.#store.find(wallet, eventId);
    if (!launch) throw notFound();
    const ended = launch.status === "failed" || launch.status === "rate_limited";
    if (ended && !this.#store.takeRoom(this.#maxQueue)) throw queueFull();
    if (!this.#store.retry(wallet, eventId, this.#clock.now())) {
      throw new ServiceError("conflict", errorTexts.notRetryable, {
        advice: `It is ${launch.status}; only failed and rate_limited launches can be retried.`,
      });
    }
    this.#onAccepted();
    return { success: true, eventId, message: ACCEPTED };
  }

  async #insert(launch: NewLaunch): Promise<InsertOutcome> {
    try {
      return await this.#inserts.add(launch);
    } catch (cause) {
      throw new ServiceError("internal", errorTexts.registerFailed, { cause });
    }
  }
}

function queueFull(): ServiceError {
  return new ServiceError("unavailable", errorTexts.queueFull, {
    retryAfterSeconds: QUEUE_FULL_RETRY_SECONDS,
    advice: "Nothing was stored. Send the request again later.",
  });
}

function notFound(): ServiceError {
  return new ServiceError("not_found", errorTexts.launchNotFound);
}

/** The fields in a fixed order, so that the same request has the same hash however it was written. */
function hash({ name, ticker, description, imageUrl }: LaunchRequest): string {
  const fields = JSON.stringify([name, ticker, description ?? null, imageUrl ?? null]);
  return createHash("sha256").update(fields).digest("base64url");
}
