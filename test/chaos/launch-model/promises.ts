import { expect } from "bun:test";
import type { LaunchStatusName } from "@tokenctl/shared/types";

export interface AcceptedLaunch {
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string;
  readonly key: string | null;
  /** Its row when it was read last; null before that, and after its owner retried it. */
  seen: { readonly status: LaunchStatusName; readonly processedAt: number | null } | null;
}

/** How long a launch that ended without a token keeps its ticker, in milliseconds. */
const HOLD_MS = 24 * 3_600_000;

/** What the service answered to agents. From then on it must hold. */
export class Promises {
  readonly #launches = new Map<string, AcceptedLaunch>();
  readonly #holders = new Map<string, AcceptedLaunch>();
  passedOn = 0;
  cancellations = 0;

  get all(): AcceptedLaunch[] {
    return [...this.#launches.values()];
  }

  /** The event ids of launches that have not ended. */
  get pending(): string[] {
    return this.all
      .filter(({ seen }) => seen === null || seen.status === "pending")
      .map(({ eventId }) => eventId);
  }

  of(eventId: string): AcceptedLaunch {
    const launch = this.#launches.get(eventId);
    if (!launch) throw new Error(`${eventId} was never accepted`);
    return launch;
  }

  accepted(eventId: string, wallet: string, ticker: string, key: string | null, now: number): void {
    const same = this.#underKey(wallet, key);
    if (same) {
      expect([eventId, ticker]).toEqual([same.eventId, same.ticker]);
      return;
    }
    const launch = { eventId, wallet, ticker, key, seen: null };
    this.#launches.set(eventId, launch);
    this.#take(launch, now);
  }

  refused(wallet: string, ticker: string, key: string | null, code: string, now: number): void {
    const same = this.#underKey(wallet, key);
    expect(code).toBe(same ? "idempotency_mismatch" : "ticker_taken");
    if (same) expect(same.ticker).not.toBe(ticker);
    else expect([ticker, this.#isHeld(ticker, now)]).toEqual([ticker, true]);
  }

  retried(eventId: string, now: number): void {
    const launch = this.of(eventId);
    expect(["failed", "rate_limited"]).toContain(launch.seen?.status ?? "");
    launch.seen = null;
    this.#take(launch, now);
  }

  notRetried(eventId: string, now: number): void {
    const launch = this.of(eventId);
    const isHolder = this.#holders.get(launch.ticker) === launch;
    if (isHolder) expect(["pending", "success"]).toContain(launch.seen?.status ?? "");
    else expect([launch.ticker, this.#isHeld(launch.ticker, now)]).toEqual([launch.ticker, true]);
  }

  cancelled(eventId: string): void {
    const launch = this.of(eventId);
    const isNew = launch.seen === null || launch.seen.status === "pending";
    if (!isNew) return;
    this.cancellations += 1;
    if (this.#holders.get(launch.ticker) === launch) this.#holders.delete(launch.ticker);
  }

  /** @param wasSigned whether a transaction of the launch was ever stored */
  notCancelled(eventId: string, wasSigned: boolean): void {
    const { seen } = this.of(eventId);
    const hasEnded = seen !== null && seen.status !== "pending";
    expect([eventId, hasEnded || wasSigned]).toEqual([eventId, true]);
  }

  #take(launch: AcceptedLaunch, now: number): void {
    const { ticker } = launch;
    const holder = this.#holders.get(ticker);
    if (holder === launch) return;
    expect([ticker, this.#isHeld(ticker, now)]).toEqual([ticker, false]);
    if (holder) this.passedOn += 1;
    this.#holders.set(ticker, launch);
  }

  #isHeld(ticker: string, now: number): boolean {
    const holder = this.#holders.get(ticker);
    if (!holder) return false;
    const { status = "pending", processedAt = null } = holder.seen ?? {};
    const hasEndedWithoutToken = status === "failed" || status === "rate_limited";
    return !hasEndedWithoutToken || (processedAt ?? now) > now - HOLD_MS;
  }

  #underKey(wallet: string, key: string | null): AcceptedLaunch | undefined {
    if (key === null) return undefined;
    return this.all.find((launch) => launch.wallet === wallet && launch.key === key);
  }
}
