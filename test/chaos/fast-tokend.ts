/**
 * `tokend serve` on a clock that runs faster than ours, waiting included, so that leases run out in seconds.
 *
 *   bun test/chaos/fast-tokend.ts SPEED
 */

import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { startServer } from "../../server/src/server.ts";
import { fastClock } from "./fast-clock.ts";

const [, , speed = "1"] = process.argv;
const config = readConfig(process.env);
const log = createLog(config.logLevel);
const { url } = await startServer(config, { clock: fastClock(Number(speed)), log });
log.info({ url }, "tokend listens");
