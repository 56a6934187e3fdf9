import { join } from "node:path";
import { Connection } from "@solana/web3.js";
import { systemClock } from "../base/clock.ts";
import { readLocalnetConfig } from "../config/config.ts";
import { writeMeteoraGenesis } from "../launchpad/meteora/genesis.ts";
import { programsFolder, pullPrograms } from "../localnet/programs.ts";
import { runLocalnet } from "../localnet/serve-rpc.ts";

export interface LocalnetOptions {
  readonly port: number;
  readonly host: string;
  /** The folder that keeps the chain; without one the chain ends with the process. */
  readonly ledger?: string;
  readonly programs?: string;
}

/** `tokend localnet`: serves the embedded chain with the cached programs until it is interrupted. */
export async function localnet(options: LocalnetOptions): Promise<void> {
  const terms = readLocalnetConfig(process.env);
  const starting = runLocalnet({
    clock: systemClock,
    terms,
    hostname: options.host,
    port: options.port,
    ledgerPath: options.ledger ? join(options.ledger, "localnet.sqlite") : ":memory:",
    programsFolder: options.programs ?? programsFolder(process.env),
    writeGenesis: writeMeteoraGenesis,
    print: (line) => console.log(line),
  });
  const stop = async () => {
    await (await starting).stop();
    process.exit(0);
  };
  // Before it prints that it serves: a program that waits for the line may signal at once.
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
  await starting;
}

/** `tokend localnet pull`: downloads the programs from a cluster into the cache folder. */
export function localnetPull(options: { readonly rpc: string; readonly programs?: string }) {
  const connection = new Connection(options.rpc, "confirmed");
  const folder = options.programs ?? programsFolder(process.env);
  return pullPrograms(connection, folder, (line) => console.log(line));
}
