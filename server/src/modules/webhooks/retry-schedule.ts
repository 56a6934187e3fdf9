const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds before the second attempt, the third and so on: that of Standard Webhooks. */
const PAUSES = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR],
  ...[10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];

/** A pause is up to 10 % longer, so that not all receivers of a host are tried at once. */
const JITTER = 0.1;

/**
 * @param attempts how many were made
 * @param random from 0 to 1
 * @returns milliseconds until the next attempt of an event's delivery; null after the tenth
 */
export function nextPause(attempts: number, random = Math.random()): number | null {
  const pause = PAUSES[attempts - 1];
  return pause === undefined ? null : Math.round(pause * (1 + JITTER * random));
}
