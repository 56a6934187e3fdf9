import type { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { launchedTodayText } from "@tokenctl/shared/error-codes";
import { onChainNameOf, onChainSymbol } from "@tokenctl/shared/token-name";
import type {
  ChainPace,
  FeeSchedule,
  FieldError,
  Health,
  LaunchCheck,
  LaunchRefusal,
  LaunchRefusalCode,
} from "@tokenctl/shared/types";
import { waitAtMost } from "../../base/clock.ts";
import type { ServiceError } from "../../base/service-error.ts";
import { DAY_MS, startOfUtcDay } from "../../base/utc-day.ts";
import { type ClusterPace, secondsToLand } from "../../domain/cluster-pace.ts";
import { decide, isTickerHeld, type TickerHolder } from "../../domain/intake.ts";
import type { LaunchBudget, LaunchLimits } from "../../domain/intake-limits.ts";
import type { PoolTerms } from "../../domain/pool-terms.ts";
import { sharesOf } from "../../domain/shares.ts";
import { type PartlyParsed, validationError } from "../../http/validation.ts";
import { inviteHash } from "../../store/operator.ts";
import type { Store } from "../../store/store.ts";
import type { LaunchGate } from "./gate.ts";
import { IMAGE_GONE, refusalError } from "./refusal-error.ts";

/** How long an answer waits for the fees of the config, in milliseconds; later ones have them. */
const TERMS_WAIT_MS = 2_000;

export interface LaunchCheckerOptions {
  readonly store: Pick<Store, "clock" | "launches">;
  readonly gate: Pick<LaunchGate, "objections">;
  readonly limits: LaunchLimits;
  readonly budget: LaunchBudget;
  readonly readHealth: () => Promise<Health>;
  readonly images: {
    /** Whether a URL is of this service, and there is no such image. */
    isMissing(imageUrl: string): Promise<boolean>;
  };
  /** Returns the chain's time per block and rent; undefined while they are not known. */
  readonly pace: () => ClusterPace | undefined;
  readonly terms: () => Promise<PoolTerms>;
}

/** Predicts the outcome of a launch, and changes nothing. */
export class LaunchChecker {
  readonly #options: LaunchCheckerOptions;

  constructor(options: LaunchCheckerOptions) {
    this.#options = options;
  }

  /** @param address the network address of the request; null if no limit counts addresses */
  async check(
    wallet: string,
    { fields, details }: PartlyParsed<typeof LaunchRequestSchema>,
    address: string | null,
  ): Promise<LaunchCheck> {
    const { store, limits, budget, readHealth, gate } = this.#options;
    const { name, onChainName, ticker = null, imageUrl, inviteCode = null } = fields;
    const now = store.clock.now();
    const pace = this.#options.pace();
    const asked = {
      wallet,
      ticker,
      address,
      now,
      isPaidByAgent: false,
      inviteHash: inviteCode && inviteHash(inviteCode),
    };
    const [state, { ok, message }, fees, ofImage, objected] = await Promise.all([
      store.launches.intakeState({ ...asked, readsPlaces: Number.isFinite(limits.maxPerHour) }),
      readHealth(),
      this.#fees(),
      imageUrl === undefined ? [] : this.#imageDetails(imageUrl),
      gate.objections(wallet),
    ]);
    const isTickerFree = !isTickerHeld(state.holder, now, limits);
    // Of another agent's launch nothing is said but that it has the ticker.
    const ownHolder = state.holder?.wallet === wallet ? state.holder : null;
    const invalid = [...details, ...ofImage];
    const objections = objected.map(({ code }) => code);
    const found = decide({ ...asked, eventId: "", isRetry: false, objections }, state, {
      ...limits,
      budget: budget.dayBudget(),
    });
    const refusals = [
      ...(invalid.length > 0 ? [validationError(invalid)] : []),
      ...found.map(
        (refusal) =>
          objected.find(({ code }) => code === refusal)?.error ??
          refusalError(refusal, { ticker: ticker ?? "", now, ownHolder }, limits),
      ),
    ].map(toRefusal);
    return {
      ok: refusals.length === 0 && !state.hasLaunchedToday,
      refusals,
      endsAs: state.hasLaunchedToday ? { status: "rate_limited", error: launchedTodayText } : null,
      ticker: ticker === null ? null : tickerFinding(ownHolder, limits, isTickerFree),
      agent: {
        hasLaunchedToday: state.hasLaunchedToday,
        waiting: state.pendingOfAgent,
        ...quota(state.ofAgent, limits.maxOfAgent),
      },
      address:
        address === null
          ? null
          : {
              limit: orNull(limits.maxOfAddress),
              maxWaiting: orNull(
                sharesOf(limits.maxPending, limits.maxOfAgent, limits.shares).address,
              ),
            },
      quotasReturnAt: new Date(startOfUtcDay(now) + DAY_MS).toISOString(),
      queue: {
        depth: state.pending.total,
        place: state.pending.total + 1,
        limit: orNull(limits.maxPending),
      },
      service: { ok, message: message ?? null },
      onChain:
        name === undefined || ticker === null
          ? null
          : { name: onChainNameOf({ name, onChainName }), symbol: onChainSymbol(ticker) },
      fees,
      expectedSeconds: expectedSeconds(state.recentMs),
      ...(pace && { pace: paceToWire(pace) }),
    };
  }

  async #fees(): Promise<FeeSchedule | null> {
    let fees: FeeSchedule | null = null;
    const read = this.#options.terms().then((terms) => {
      fees = terms.fees;
    });
    await waitAtMost(TERMS_WAIT_MS, read, this.#options.store.clock);
    return fees;
  }

  async #imageDetails(imageUrl: string): Promise<readonly FieldError[]> {
    return (await this.#options.images.isMissing(imageUrl)) ? [IMAGE_GONE] : [];
  }
}

function paceToWire({ msPerBlock, rentPerByte }: ClusterPace): ChainPace {
  return {
    secondsPerBlock: msPerBlock === null ? null : Number((msPerBlock / 1000).toFixed(3)),
    secondsToLand: msPerBlock === null ? null : secondsToLand(msPerBlock),
    lamportsPerByte: Number(rentPerByte),
  };
}

/** @returns the body and the `Retry-After` of the answer that a launch would get */
function toRefusal(error: ServiceError): LaunchRefusal {
  const { wireCode, message, details, advice, retryAfterSeconds, facts } = error;
  return {
    code: wireCode as LaunchRefusalCode,
    error: message,
    ...(details && { details: [...details] }),
    ...(advice !== undefined && { message: advice }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...facts,
  };
}

function tickerFinding(
  ownHolder: TickerHolder | null,
  { tickerHoldMs }: LaunchLimits,
  isFree: boolean,
): LaunchCheck["ticker"] {
  const { eventId, endedAt } = ownHolder ?? { eventId: null, endedAt: null };
  if (isFree || endedAt === null) return { isFree, freeAt: null, retryEventId: null };
  return { isFree, freeAt: new Date(endedAt + tickerHoldMs).toISOString(), retryEventId: eventId };
}

function quota(accepted: number, max: number) {
  return { accepted, limit: orNull(max), left: orNull(Math.max(0, max - accepted)) };
}

/** `Infinity` is no limit, which JSON does not know. */
function orNull(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

/** @returns the median, in whole seconds; null if nothing is known */
function expectedSeconds(recentMs: readonly number[]): number | null {
  const sorted = recentMs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor((sorted.length - 1) / 2)];
  return median === undefined ? null : Math.ceil(Math.max(0, median) / 1000);
}
