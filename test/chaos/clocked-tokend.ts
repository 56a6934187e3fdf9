/**
 * `tokend serve` on a clock that runs faster than ours, waiting included, and that may be wrong; its
 * leases may end sooner than usual.
 *
 *   bun test/chaos/clocked-tokend.ts SPEED [OFFSET_MS [LEASE_MS]]
 */

import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { crashPointOf } from "../../server/src/launchpad/crash-point.ts";
import { startServer } from "../../server/src/server.ts";
import { fastClock } from "./fast-clock.ts";

const [, , speed = "1", offset = "0", leaseMs = "60000"] = process.argv;
// Libraries read the time themselves, so the whole process gets the wrong one.
const RightDate = Date;
globalThis.Date = class extends RightDate {
  constructor(...parts: []) {
    if (parts.length === 0) super(RightDate.now() + Number(offset));
    else super(...parts);
  }
  static override now(): number {
    return RightDate.now() + Number(offset);
  }
} as DateConstructor;

const config = readConfig(process.env);
const log = createLog(config.logLevel);
const { url } = await startServer(config, {
  clock: fastClock(Number(speed)),
  log,
  leaseMs: Number(leaseMs),
  crashPoint: crashPointOf(process.env),
});
log.info({ url }, "tokend listens");
