import type { PaidTokenRow } from "./claim-store.ts";
import type { Page } from "./token-store.ts";

/** An entry's place is `claim's place * 64 - position`; a claim has fewer tokens. */
export const PLACES_PER_CLAIM = 64;

/** @returns the highest place of a claim that has entries before this place */
export function highestClaim(before: number): number {
  return Math.floor((before + PLACES_PER_CLAIM - 1) / PLACES_PER_CLAIM);
}

/** One of a confirmed claim's payouts, as both engines read it. */
interface StoredEntry extends Omit<PaidTokenRow, "signature" | "confirmedAt"> {
  readonly place: number;
  readonly signature: string | null;
  readonly confirmedAt: number | null;
}

/**
 * @param found at most one row more than `limit`, newest first
 * @returns the page, and the place after which the next one starts
 */
export function historyPage(
  found: readonly StoredEntry[],
  limit: number | null,
): Page<PaidTokenRow> {
  const shown = limit === null ? found : found.slice(0, limit);
  return {
    rows: shown.map(toRow),
    next: shown.length < found.length ? (shown.at(-1)?.place ?? null) : null,
  };
}

function toRow({ place: _, signature, confirmedAt, ...entry }: StoredEntry): PaidTokenRow {
  return { ...entry, signature: signature ?? "", confirmedAt: confirmedAt ?? 0 };
}
