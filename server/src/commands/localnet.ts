import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { isLoopback } from "../base/loopback.ts";
import { readLocalnetConfig } from "../config/config.ts";
import { writeMeteoraGenesis } from "../launchpad/meteora/genesis.ts";
import { RENT_EXEMPT_EPOCH } from "../localnet/accounts.ts";
import { LocalChain } from "../localnet/chain.ts";
import { RENT_PER_BYTE } from "../localnet/engine.ts";
import { stringifyExact } from "../localnet/exact-json.ts";
import {
  loadPrograms,
  METEORA_PROGRAMS,
  programsFolder,
  pullPrograms,
} from "../localnet/programs.ts";
import { type ServedLocalnet, serveLocalnet } from "../localnet/serve-rpc.ts";
import { rentExemption } from "../solana/cluster-pace.ts";
import { createConnection } from "../solana/connection.ts";

export interface LocalnetOptions {
  readonly port: number;
  readonly host: string;
  readonly ledger?: string;
  readonly programs?: string;
}

export async function localnet(options: LocalnetOptions): Promise<void> {
  const starting = startLocalnet(options, (line) => console.log(line));
  const stop = async () => {
    await (await starting).stop();
    process.exit(0);
  };
  // Set before it prints that it serves: a program that waits for the line may signal at once.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop());
  await starting;
}

/**
 * Serves a chain with the cached programs and Meteora's accounts until `stop`.
 * @throws {Error} a file is not a program, a port is taken, or another process has the ledger open
 */
export async function startLocalnet(
  { host, port, ledger, programs: given }: LocalnetOptions,
  print: (line: string) => void,
) {
  const folder = given ?? programsFolder(process.env);
  const { programs, missing } = loadPrograms(folder);
  if (ledger) mkdirSync(ledger, { recursive: true });
  const ledgerPath = ledger ? join(ledger, "localnet.sqlite") : ":memory:";
  const terms = readLocalnetConfig(process.env);
  const chain = LocalChain.open({ ...terms, ledgerPath, clock: systemClock, programs });
  const onFault = (error: unknown) =>
    print(`fault: ${error instanceof Error ? error.message : error}`);
  let served: ServedLocalnet;
  try {
    await writeMeteoraGenesis(chain);
    served = serveLocalnet(chain, { hostname: host, port, onFault });
  } catch (error) {
    chain.close();
    throw error;
  }
  if (!isLoopback(host)) {
    print(`Other machines can reach ${host}: each of them can mint SOL and send anything`);
  }
  print(`JSON-RPC on ${served.url}`);
  for (const { programId, bytes } of programs) print(`program ${programId}, ${bytes.length} bytes`);
  if (missing.length > 0) {
    print(`missing in ${folder}: ${missing.join(", ")}`);
    print("get them with: tokend localnet pull --rpc <URL of a cluster>");
  }
  return {
    ...served,
    async stop() {
      await served.stop();
      chain.close();
    },
  };
}

export function localnetPull(options: { readonly rpc: string; readonly programs?: string }) {
  const connection = createConnection(options.rpc, { timeoutMs: 120_000 });
  const folder = options.programs ?? programsFolder(process.env);
  return pullPrograms(connection, folder, (line) => console.log(line));
}

export async function localnetAccounts(
  folder: string,
  options: { readonly programs?: string },
): Promise<void> {
  const args = await writeAccounts(folder, options.programs ?? programsFolder(process.env));
  console.log(["solana-test-validator --reset", ...args].join(" \\\n  "));
}

/**
 * Writes Meteora's accounts as files. Returns a validator's arguments for them and the programs.
 * @throws {Error} if a program is missing
 */
export async function writeAccounts(folder: string, programsIn: string): Promise<string[]> {
  const { missing } = loadPrograms(programsIn);
  if (missing.length > 0) {
    throw new Error(`${programsIn} lacks ${missing.join(", ")}: get it with tokend localnet pull`);
  }
  mkdirSync(folder, { recursive: true });
  await writeMeteoraGenesis({
    getAccount: () => null,
    setAccount(address, { lamports, owner, data = new Uint8Array() }) {
      const account = {
        lamports,
        data: [Buffer.from(data).toString("base64"), "base64"],
        owner: owner.toBase58(),
        executable: false,
        rentEpoch: RENT_EXEMPT_EPOCH,
        space: data.length,
      };
      const text = stringifyExact({ pubkey: address.toBase58(), account });
      writeFileSync(join(folder, `${address.toBase58()}.json`), `${text}\n`);
    },
    rentExemption: (bytes) => rentExemption(RENT_PER_BYTE, bytes),
  });
  const programs = METEORA_PROGRAMS.map(
    ({ programId, file }) => `--bpf-program ${programId} ${join(programsIn, file)}`,
  );
  return [`--account-dir ${folder}`, ...programs];
}
