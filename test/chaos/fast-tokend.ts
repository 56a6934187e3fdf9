/**
 * `tokend serve` on a clock that runs faster than ours, so that leases run out in seconds.
 *
 *   bun test/chaos/fast-tokend.ts SPEED [RECEIVER_TIMEOUT_MS]
 */

import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { startServer } from "../../server/src/server.ts";
import { fastClock } from "./fast-clock.ts";

const [, , speed = "1", receiverTimeout] = process.argv;
const config = readConfig(process.env);
const log = createLog(config.logLevel);
/** Of each server's time: longer than an attempt to reach a receiver. */
const LEASE_MS = 60_000;
const attemptMs = Number(receiverTimeout ?? 0) * Number(speed);
const { url } = await startServer(config, {
  clock: fastClock(Number(speed)),
  log,
  ...(receiverTimeout !== undefined && {
    receiverTimeoutMs: Number(receiverTimeout),
    leaseMs: Math.max(LEASE_MS, 3 * attemptMs),
  }),
});
log.info({ url }, "tokend listens");
