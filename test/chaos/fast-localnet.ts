/**
 * Serves the embedded chain with the real programs on a clock that runs faster than ours, so that
 * blockhashes expire in seconds instead of a minute.
 *
 *   bun test/chaos/fast-localnet.ts SPEED LEDGER PROGRAMS
 */
import { writeMeteoraGenesis } from "../../server/src/launchpad/meteora/genesis.ts";
import { runLocalnet } from "../../server/src/localnet/serve-rpc.ts";
import { fastClock } from "./fast-clock.ts";

const [, , speed = "1", ledgerPath = ":memory:", programsFolder = ""] = process.argv;

await runLocalnet({
  clock: fastClock(Number(speed)),
  port: 0,
  ledgerPath,
  programsFolder,
  writeGenesis: writeMeteoraGenesis,
  print: (line) => console.log(line),
});
