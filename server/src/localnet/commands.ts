import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Connection } from "@solana/web3.js";
import { Checkpointer } from "../base/checkpointer.ts";
import type { Clock } from "../base/clock.ts";
import { LocalChain } from "./chain.ts";
import { writeMeteoraGenesis } from "./meteora-genesis.ts";
import { loadPrograms } from "./programs.ts";
import { pullPrograms } from "./pull-programs.ts";
import { type ServedLocalnet, serveLocalnet } from "./serve.ts";

export interface LocalnetOptions {
  readonly clock: Clock;
  readonly hostname?: string;
  /** 8899 is what Solana tools expect. */
  readonly port: number;
  /** The ledger's file, or ":memory:" for a chain that ends with the process. */
  readonly ledgerPath: string;
  /** How many of the latest transactions are kept; 0, as by default, for all. */
  readonly history?: number;
  /** Where the program binaries are; see {@link programsFolder}. */
  readonly programsFolder: string;
  /** Takes a line for people. */
  readonly print: (line: string) => void;
}

/**
 * `tokend localnet`: serves the embedded chain with the cached programs.
 *
 * @returns what stops it and closes the ledger
 * @throws {ProgramFileError} a file in the programs folder is no program
 * @throws {LedgerInUseError} another process has the ledger open
 */
export async function runLocalnet(options: LocalnetOptions): Promise<ServedLocalnet> {
  const { clock, hostname, port, ledgerPath, history = 0, print } = options;
  const { programs, missing } = await loadPrograms(options.programsFolder);
  if (ledgerPath !== ":memory:") mkdirSync(dirname(ledgerPath), { recursive: true });
  const chain = LocalChain.open({ ledgerPath, clock, programs, history });
  let served: ServedLocalnet;
  try {
    await writeMeteoraGenesis(chain);
    served = serveLocalnet(chain, {
      port,
      ...(hostname === undefined ? {} : { hostname }),
      onFault: (error) => print(`fault: ${error instanceof Error ? error.message : error}`),
    });
  } catch (error) {
    chain.close();
    throw error;
  }
  const checkpointer = ledgerPath === ":memory:" ? null : keepLogShort(ledgerPath, print);
  print(`JSON-RPC on ${served.url}`);
  for (const { programId, bytes } of programs) {
    print(`program ${programId.toBase58()}, ${bytes.length} bytes`);
  }
  if (missing.length > 0) {
    print(`missing in ${options.programsFolder}: ${missing.join(", ")}`);
    print("get them with: tokend localnet pull --rpc <URL of a cluster>");
  }
  return {
    url: served.url,
    stop: async () => {
      await served.stop();
      await checkpointer?.stop();
      chain.close();
    },
  };
}

function keepLogShort(ledgerPath: string, print: (line: string) => void): Checkpointer {
  const tell = ({ problem }: { readonly problem: string }, text: string) =>
    print(`${text}: ${problem}`);
  return new Checkpointer(ledgerPath, { warn: tell, error: tell });
}

export interface LocalnetPullOptions {
  /** JSON-RPC URL of the cluster to download from. */
  readonly rpcUrl: string;
  readonly programsFolder: string;
  /** Takes a line for people. */
  readonly print: (line: string) => void;
}

/**
 * `tokend localnet pull`: downloads the program binaries from a cluster into the cache folder.
 *
 * @throws {ProgramFileError} the cluster does not have them
 */
export async function runLocalnetPull(options: LocalnetPullOptions): Promise<void> {
  const connection = new Connection(options.rpcUrl, "confirmed");
  await pullPrograms(connection, options.programsFolder, ({ path, size, sha256 }) => {
    options.print(`${path}  ${size} bytes  sha256 ${sha256}`);
  });
}
