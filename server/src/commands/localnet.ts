import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { readLocalChainTerms } from "../config/chain.ts";
import { EnvReader } from "../config/env-reader.ts";
import { programsFolder } from "../localnet/programs.ts";
import { runLocalnet } from "../localnet/run-localnet.ts";
import { runLocalnetPull } from "../localnet/run-localnet-pull.ts";

export interface LocalnetOptions {
  readonly port: number;
  readonly host: string;
  /** The folder that keeps the chain; without one the chain ends with the process. */
  readonly ledger?: string;
  readonly programs?: string;
}

/** `tokend localnet`: serves the embedded chain with the cached programs until it is interrupted. */
export async function localnet(options: LocalnetOptions): Promise<void> {
  const reader = new EnvReader(process.env);
  const terms = readLocalChainTerms(reader);
  reader.finish();
  const served = await runLocalnet({
    clock: systemClock,
    terms,
    hostname: options.host,
    port: options.port,
    ledgerPath: options.ledger ? join(options.ledger, "localnet.sqlite") : ":memory:",
    programsFolder: options.programs ?? programsFolder(process.env),
    print: (line) => console.log(line),
  });
  const stop = async () => {
    await served.stop();
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
}

/** `tokend localnet pull`: downloads the programs from a cluster into the cache folder. */
export function localnetPull(options: { readonly rpc: string; readonly programs?: string }) {
  return runLocalnetPull({
    rpcUrl: options.rpc,
    programsFolder: options.programs ?? programsFolder(process.env),
    print: (line) => console.log(line),
  });
}
