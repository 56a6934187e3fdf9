export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Returns the date, for example `2026-03-01`. */
export function utcDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

export function startOfUtcDay(milliseconds: number): number {
  return Math.floor(milliseconds / DAY_MS) * DAY_MS;
}

export function secondsToNextUtcDay(milliseconds: number): number {
  return Math.ceil((startOfUtcDay(milliseconds) + DAY_MS - milliseconds) / 1000);
}
