/**
 * Serves the embedded chain with the real programs, on a clock that runs faster than ours: what
 * takes a cluster a minute, such as a blockhash's expiry, then takes seconds.
 *
 *   bun test/chaos/fast-localnet.ts SPEED LEDGER PROGRAMS
 */
import { runLocalnet } from "../../server/src/localnet/run-localnet.ts";
import { fastClock } from "./fast-clock.ts";

const [, , speed = "1", ledgerPath = ":memory:", programsFolder = ""] = process.argv;

await runLocalnet({
  clock: fastClock(Number(speed)),
  port: 0,
  ledgerPath,
  programsFolder,
  print: (line) => console.log(line),
});
