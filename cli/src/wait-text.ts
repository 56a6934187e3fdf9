const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * @param seconds how long to wait
 * @returns the wait for people, rounded up so that nobody comes too early: `in 30 s`, `in 12 min`
 * or `in 5 h`
 */
export function waitText(seconds: number): string {
  if (seconds <= 90) return `in ${Math.ceil(seconds)} s`;
  if (seconds <= 90 * MINUTE) return `in ${Math.ceil(seconds / MINUTE)} min`;
  return `in ${Math.ceil(seconds / HOUR)} h`;
}
