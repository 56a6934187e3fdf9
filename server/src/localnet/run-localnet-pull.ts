import { Connection } from "@solana/web3.js";
import { pullPrograms } from "./pull-programs.ts";

export interface RunLocalnetPullOptions {
  /** JSON-RPC URL of the cluster to download from. */
  readonly rpcUrl: string;
  readonly programsFolder: string;
  /** Shows a line to the operator. */
  readonly print: (line: string) => void;
}

/**
 * Downloads the program binaries from a cluster into the cache folder, for `tokend localnet pull`.
 *
 * @throws {ProgramFileError} the cluster does not have them
 */
export async function runLocalnetPull(options: RunLocalnetPullOptions): Promise<void> {
  const connection = new Connection(options.rpcUrl, "confirmed");
  await pullPrograms(connection, options.programsFolder, ({ path, size, sha256 }) => {
    options.print(`${path}  ${size} bytes  sha256 ${sha256}`);
  });
}
