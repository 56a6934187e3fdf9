import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Checkpointer } from "../base/checkpointer.ts";
import type { Clock } from "../base/clock.ts";
import { isLoopback } from "../base/loopback.ts";
import type { ChainTerms } from "./chain.ts";
import { LocalChain } from "./chain.ts";
import { loadPrograms } from "./programs.ts";
import { type ServedLocalnet, serveLocalnet } from "./serve-rpc.ts";

export interface RunLocalnetOptions {
  readonly clock: Clock;
  readonly hostname?: string;
  /** Solana tools expect 8899. */
  readonly port: number;
  /** The ledger's file, or ":memory:" for a chain that ends with the process. */
  readonly ledgerPath: string;
  readonly terms?: ChainTerms;
  /** The folder with the program binaries; see {@link programsFolder}. */
  readonly programsFolder: string;
  /** Writes accounts that a real cluster has, if they are missing. */
  readonly writeGenesis?: (chain: LocalChain) => Promise<void>;
  readonly print: (line: string) => void;
}

/**
 * Opens a chain with the cached programs and serves its JSON-RPC until `stop`.
 *
 * @throws {ProgramFileError} a file in the programs folder is not a program
 * @throws {LedgerInUseError} another process has the ledger open
 */
export async function runLocalnet(options: RunLocalnetOptions): Promise<ServedLocalnet> {
  const { clock, hostname = "127.0.0.1", port, ledgerPath, terms, print } = options;
  const { programs, missing } = loadPrograms(options.programsFolder);
  if (ledgerPath !== ":memory:") mkdirSync(dirname(ledgerPath), { recursive: true });
  const chain = LocalChain.open({ ...terms, ledgerPath, clock, programs });
  let served: ServedLocalnet;
  try {
    await options.writeGenesis?.(chain);
    const onFault = (error: unknown) =>
      print(`fault: ${error instanceof Error ? error.message : error}`);
    served = serveLocalnet(chain, { hostname, port, onFault });
  } catch (error) {
    chain.close();
    throw error;
  }
  const checkpointer = ledgerPath === ":memory:" ? null : keepLogShort(ledgerPath, print);
  if (!isLoopback(hostname)) {
    print(`Other machines can reach ${hostname}: each of them can mint SOL and send anything`);
  }
  print(`JSON-RPC on ${served.url}`);
  print(`websocket on ${served.websocketUrl}`);
  for (const { programId, bytes } of programs) {
    print(`program ${programId.toBase58()}, ${bytes.length} bytes`);
  }
  if (missing.length > 0) {
    print(`missing in ${options.programsFolder}: ${missing.join(", ")}`);
    print("get them with: tokend localnet pull --rpc <URL of a cluster>");
  }
  return {
    ...served,
    stop: async () => {
      await served.stop();
      await checkpointer?.stop();
      chain.close();
    },
  };
}

function keepLogShort(ledgerPath: string, print: (line: string) => void): Checkpointer {
  const log = ({ problem }: { readonly problem: string }, text: string) =>
    print(`${text}: ${problem}`);
  return new Checkpointer(ledgerPath, { warn: log, error: log });
}
