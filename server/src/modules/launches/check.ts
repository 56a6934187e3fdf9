import type { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { launchedTodayText } from "@tokenctl/shared/error-codes";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type {
  Health,
  LaunchCheck,
  LaunchRefusal,
  LaunchRefusalCode,
  LaunchRequest,
} from "@tokenctl/shared/types";
import { waitAtMost } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import { decide } from "../../domain/intake.ts";
import { type LaunchBudget, type LaunchLimits, orNull } from "../../domain/intake-limits.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import { likenessWarnings } from "../../domain/likeness.ts";
import type { PoolTerms } from "../../domain/token.ts";
import { type PartlyParsed, validationError } from "../../http/body.ts";
import { AlreadyLaunchedError, toServiceError } from "../../launchpad/errors.ts";
import type { LaunchQuote } from "../../launchpad/signing/paid-launch.ts";
import type { Signing } from "../../launchpad/signing/signing.ts";
import type { Store } from "../../store/store.ts";
import { costToWire } from "./paid-launches.ts";
import { IMAGE_GONE, type LaunchGate, refusalError } from "./refusals.ts";
import { type Payment, readPayment } from "./service.ts";

/** Milliseconds that a response waits for the chain. Later responses have the config's fees. */
const READ_WAIT_MS = 2_000;

export interface LaunchCheckerOptions {
  readonly store: Store;
  readonly gate: LaunchGate;
  readonly limits: LaunchLimits;
  readonly budget: LaunchBudget;
  readonly readHealth: () => Promise<Health>;
  readonly images: { isMissing(imageUrl: string): Promise<boolean> };
  readonly terms: () => Promise<PoolTerms>;
  readonly checkPaid: Signing["checkLaunch"];
}

export class LaunchChecker {
  constructor(private readonly options: LaunchCheckerOptions) {}

  async check(
    wallet: string,
    { fields, details }: PartlyParsed<typeof LaunchRequestSchema>,
    address: string | null,
  ): Promise<LaunchCheck> {
    const { store, limits, budget, readHealth, gate } = this.options;
    const { name, onChainName, ticker = null, imageUrl } = fields;
    const now = store.clock.now();
    const { paid, refused } = paymentOf(fields, limits.payers);
    const isPaidByAgent = paid.payer === "agent";
    const asked = { wallet, ticker, address, now, isPaidByAgent, isCounted: true };
    // A random id: the mint differs, the cost does not.
    const eventId = crypto.randomUUID();
    const order =
      isPaidByAgent && name !== undefined && ticker !== null
        ? { ...paid, eventId, wallet, name, onChainName: onChainName ?? null, ticker }
        : null;
    const [state, { ok, message }, terms, quote, isImageGone, objected, alike] = await Promise.all([
      store.launches.intakeState({ ...asked, readsPlaces: Number.isFinite(limits.maxPerHour) }),
      readHealth(),
      this.#inTime(this.options.terms),
      order && this.#inTime(() => this.options.checkPaid(order).catch(asRefusal)),
      imageUrl !== undefined && this.options.images.isMissing(imageUrl),
      gate.objections(wallet),
      name === undefined ? null : store.tokens.firstLike(name),
    ]);
    const warnings = likenessWarnings({ name: name ?? "", ticker: ticker ?? "" }, alike);
    // The response says nothing of another agent's launch except that it has the ticker.
    const ownLaunch = state.tickerOwner?.wallet === wallet ? state.tickerOwner : null;
    const payment = quote && "cost" in quote ? paymentToWire(quote, terms) : null;
    const invalid = [...details, ...refused, ...(isImageGone ? [IMAGE_GONE] : [])];
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
          refusalError(refusal, { ticker: ticker ?? "", now, ownLaunch }, limits),
      ),
      order && refusalOf(quote),
    ]
      .filter((error) => error !== null)
      .map(toRefusal);
    return {
      ok: refusals.length === 0 && !state.hasLaunchedToday,
      refusals,
      endsAs: state.hasLaunchedToday ? { status: "rate_limited", error: launchedTodayText } : null,
      agent: {
        hasLaunchedToday: state.hasLaunchedToday,
        waiting: state.pendingOfAgent,
        accepted: state.ofAgent,
        limit: orNull(limits.maxOfAgent),
      },
      queue: {
        depth: state.pending.total,
        place: state.pending.total + 1,
        limit: orNull(limits.maxPending),
      },
      service: { ok, message: message ?? null },
      ...(warnings.length > 0 && { warnings }),
      fees: terms?.fees ?? null,
      ...(terms && { curve: [...terms.curve] }),
      ...(isPaidByAgent && { payment }),
    };
  }

  async #inTime<T>(read: () => Promise<T>): Promise<T | null> {
    const reading = read();
    const isHere = await waitAtMost(READ_WAIT_MS, reading, this.options.store.clock);
    return isHere ? reading.catch(() => null) : null;
  }
}

function paymentOf(fields: Partial<LaunchRequest>, payers: LaunchLimits["payers"]) {
  try {
    return { paid: readPayment(fields, payers), refused: [] };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { paid: {} as Payment, refused: error.details ?? [] };
  }
}

function paymentToWire({ cost, required, balance }: LaunchQuote, terms: PoolTerms | null) {
  return {
    costSOL: costToWire(cost),
    requiredSOL: lamportsToSol(required),
    balanceSOL: lamportsToSol(balance),
    canPay: balance >= required,
    config: terms?.config ?? null,
  };
}

const asRefusal = (fault: unknown) =>
  toServiceError(fault) instanceof ServiceError ? { refusal: fault } : null;

function refusalOf(quote: Pick<LaunchQuote, "refusal"> | null): ServiceError | null {
  if (quote === null) {
    const text = "The chain did not answer in time";
    return new ServiceError("chain_unavailable", { text, retryAfterSeconds: 5 });
  }
  const { refusal } = quote;
  // Step 1 records that the launch succeeded: a restored database does not know it.
  if (refusal === null || refusal instanceof AlreadyLaunchedError) return null;
  const error = toServiceError(refusal);
  if (error instanceof ServiceError) return error;
  throw error;
}

/** Returns why an agent-paid launch would be refused, or null. */
export async function findRefusal(chain: Signing, launch: LaunchOrder) {
  return refusalOf(await chain.checkLaunch(launch).catch((refusal: unknown) => ({ refusal })));
}

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
