/** Seconds before the second attempt and the next: 5 s to 24 hours, as in Standard Webhooks. */
const PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** A pause is up to 10 % longer, so that not all receivers of a host are tried at once. */
const JITTER = 0.1;

/** @returns milliseconds until the next attempt of an event's delivery; null after the tenth */
export function nextPause(attempts: number, random = Math.random()): number | null {
  const pause = PAUSES[attempts - 1];
  return pause === undefined ? null : Math.round(pause * 1_000 * (1 + JITTER * random));
}
