import { expect } from "bun:test";
import type { LaunchStatusName } from "@tokenctl/shared/types";

/** An accepted launch, as its agent knows it. */
export interface AcceptedLaunch {
  readonly eventId: string;
  readonly wallet: string;
  readonly ticker: string;
  readonly key: string | null;
  /** Its row when it was last looked at; null before, and after its owner had it retried. */
  seen: { readonly status: LaunchStatusName } | null;
}

/** What agents were told, which from then on must be so. */
export class Promises {
  readonly #launches = new Map<string, AcceptedLaunch>();

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

  accepted(eventId: string, wallet: string, ticker: string, key: string | null): void {
    const same = this.#underKey(wallet, key);
    if (same) {
      expect([eventId, ticker]).toEqual([same.eventId, same.ticker]);
      return;
    }
    expect(this.all.map((launch) => launch.ticker)).not.toContain(ticker);
    this.#launches.set(eventId, { eventId, wallet, ticker, key, seen: null });
  }

  refused(wallet: string, ticker: string, key: string | null, kind: string): void {
    expect(kind).toBe("conflict");
    const same = this.#underKey(wallet, key);
    if (same) expect(same.ticker).not.toBe(ticker);
    else expect(this.all.map((launch) => launch.ticker)).toContain(ticker);
  }

  retried(eventId: string): void {
    const launch = this.of(eventId);
    expect(["failed", "rate_limited"]).toContain(launch.seen?.status ?? "");
    launch.seen = null;
  }

  notRetried(eventId: string): void {
    expect(["pending", "success"]).toContain(this.of(eventId).seen?.status ?? "");
  }

  #underKey(wallet: string, key: string | null): AcceptedLaunch | undefined {
    if (key === null) return undefined;
    return this.all.find((launch) => launch.wallet === wallet && launch.key === key);
  }
}
