import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Connection, PublicKey } from "@solana/web3.js";
import { writeDurably } from "../base/durable-file.ts";
import { readProgram } from "./program-code.ts";
import { isElf, METEORA_PROGRAMS, ProgramFileError } from "./programs.ts";

/**
 * Downloads the Meteora programs from a cluster into a cache folder. Each file is replaced whole or
 * not at all.
 *
 * @param print shows a line for each program that is in place
 * @throws {ProgramFileError} if the cluster has no such program, or something else at its address
 */
export async function pullPrograms(
  connection: Connection,
  folder: string,
  print: (line: string) => void,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { programId, file } of METEORA_PROGRAMS) {
    const bytes = await downloadProgram(connection, programId);
    const path = join(folder, file);
    const write = (draft: string) => writeFileSync(draft, bytes);
    writeDurably(path, write, { existing: "replace", mode: 0o644 });
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    print(`${path}  ${bytes.length} bytes  sha256 ${sha256}`);
  }
}

async function downloadProgram(connection: Connection, programId: PublicKey): Promise<Uint8Array> {
  const name = programId.toBase58();
  const program = await readProgram(connection, programId);
  if (program === null) throw new ProgramFileError(`the cluster has no program ${name}`);
  if (!isElf(program)) {
    throw new ProgramFileError(`the cluster's data of program ${name} is no ELF`);
  }
  return program;
}
