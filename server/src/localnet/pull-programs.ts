import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Connection, PublicKey } from "@solana/web3.js";
import { writeDurably } from "../base/durable-file.ts";
import { readProgram } from "./program-code.ts";
import { type CachedProgram, isElf, METEORA_PROGRAMS, ProgramFileError } from "./programs.ts";

export interface PulledProgram extends CachedProgram {
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
}

/**
 * Downloads the Meteora programs from a cluster into a cache folder. Each file is replaced whole or
 * not at all.
 *
 * @param report called with each program that is in place
 * @throws {ProgramFileError} if the cluster has no such program, or something else at its address
 */
export async function pullPrograms(
  connection: Connection,
  folder: string,
  report: (pulled: PulledProgram) => void = () => {},
): Promise<PulledProgram[]> {
  mkdirSync(folder, { recursive: true });
  const all: PulledProgram[] = [];
  for (const program of METEORA_PROGRAMS) {
    const bytes = await downloadProgram(connection, program.programId);
    const path = join(folder, program.file);
    const write = (draft: string) => writeFileSync(draft, bytes);
    writeDurably(path, write, { existing: "replace", mode: 0o644 });
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    const pulled = { ...program, path, size: bytes.length, sha256 };
    report(pulled);
    all.push(pulled);
  }
  return all;
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
