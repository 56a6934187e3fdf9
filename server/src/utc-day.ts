/** @returns the UTC day of a time in milliseconds, for example `2026-03-01` */
export function utcDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
