import type { PaidTokenRow } from "./claim-store.ts";
import type { Page } from "./token-store.ts";

/** An entry's place is `claim's place * 64 - position`; a claim has fewer tokens. */
export const PLACES_PER_CLAIM = 64;

/** @returns the highest place of a claim that has entries before this place */
export function highestClaim(before: number): number {
  return Math.floor((before + PLACES_PER_CLAIM - 1) / PLACES_PER_CLAIM);
}

/**
 * A confirmed claim with one of its payouts, as both engines read it: those are null if an older
 * version confirmed it, or if they are not known.
 */
interface StoredEntry {
  readonly place: number;
  readonly tokenMint: string;
  readonly otherMints: readonly string[];
  readonly ticker: string;
  readonly signature: string | null;
  readonly confirmedAt: number | null;
  readonly paidLamports: bigint | null;
  readonly curveLamports: bigint | null;
  readonly poolLamports: bigint | null;
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

function toRow({ place: _, paidLamports, ...entry }: StoredEntry): PaidTokenRow {
  const { curveLamports, poolLamports } = entry;
  const isKnown = curveLamports !== null && poolLamports !== null;
  return {
    ...entry,
    otherMints: isKnown ? [] : entry.otherMints,
    signature: entry.signature ?? "",
    confirmedAt: entry.confirmedAt ?? 0,
    lamports: isKnown ? curveLamports + poolLamports : (paidLamports ?? 0n),
  };
}
