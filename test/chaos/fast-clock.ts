import { type Clock, systemClock } from "../../server/src/base/clock.ts";

/** A clock that starts at our time and runs `speed` times faster, waiting included. */
export function fastClock(speed: number): Clock {
  const start = systemClock.now();
  return {
    now: () => start + (systemClock.now() - start) * speed,
    elapsed: () => systemClock.elapsed() * speed,
    after: (milliseconds, call) => systemClock.after(milliseconds / speed, call),
  };
}
