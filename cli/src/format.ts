import { formatSol, solToLamports } from "@tokenctl/shared/sol";

/** Returns an amount of SOL in plain digits, for example `0.0000005 SOL`. */
export function solText(sol: number): string {
  return `${formatSol(solToLamports(sol))} SOL`;
}

/** Returns amounts for a column, all with the same number of decimals so that the points align. */
export function solColumn(lamports: readonly bigint[]): string[] {
  const texts = lamports.map(formatSol);
  const digits = Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0));
  return texts.map((text) => {
    const [whole = "0", fraction = ""] = text.split(".");
    return `${digits === 0 ? whole : `${whole}.${fraction.padEnd(digits, "0")}`} SOL`;
  });
}

/** Formats base units of a token (millionths of it), for example `12,345.678901 tokens`. */
export function tokenText(baseUnits: string): string {
  const tokens = Number(baseUnits) / 1e6;
  return `${tokens.toLocaleString("en-US", { maximumFractionDigits: 6 })} tokens`;
}

/** Formats a wait such as `in 30 s`, `in 12 min` or `in 5 h`, rounded up so that it suffices. */
export function waitText(seconds: number): string {
  if (seconds <= 90) return `in ${Math.ceil(seconds)} s`;
  if (seconds <= 90 * 60) return `in ${Math.ceil(seconds / 60)} min`;
  return `in ${Math.ceil(seconds / 3600)} h`;
}

/** Shortens a timestamp to seconds, for example `2026-11-21 09:30:05Z`. */
export function second(timestamp: string): string {
  return timestamp.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d).*Z$/, "$1 $2Z");
}

export function venue({ isMigrated }: { readonly isMigrated: boolean }): string {
  return isMigrated ? "pool" : "curve";
}
