import { OverLimitError } from "../claim-errors.ts";
import { COMPUTE_BUDGET_PROGRAM } from "./addresses.ts";
import { tryRead } from "./expected-instruction.ts";
import type { ClaimInstruction } from "./instruction.ts";
import { refuseInstruction } from "./instruction.ts";
import type { ClaimMessage } from "./message.ts";
import type { FeeTerms } from "./terms.ts";

/** What is counted for a signature if no node was asked. Source: Solana's `DEFAULT_TARGET_LAMPORTS_PER_SIGNATURE`. */
const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Maximum compute units of a transaction, even if it requests more. */
const MAX_COMPUTE_UNITS = 1_400_000n;
/** Compute units that each instruction adds if the transaction sets no limit. */
const DEFAULT_COMPUTE_UNITS = 200_000n;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;

/** The settings of the compute budget that a transaction may have. */
const SETTINGS = { SetComputeUnitLimit: "units", SetComputeUnitPrice: "microLamports" } as const;

/**
 * @returns lamports of network fee: what a node says, or else the sum by {@link networkFee}
 * @throws {OverLimitError} if that is more than it may be
 */
export function boundedFee(
  { instructions, signers }: ClaimMessage,
  { maxNetworkFeeLamports: allowed, networkFeeLamports: asked }: FeeTerms,
): bigint {
  const counted = networkFee(instructions, signers.length);
  const needed = asked ?? counted;
  if (needed > allowed) throw new OverLimitError("maxNetworkFeeLamports", { needed, allowed });
  return needed;
}

/**
 * @returns lamports: the fee of each signature, and price × limit of the compute units, rounded up
 * @param ignored names of Compute Budget instructions that may be there too
 * @throws {CheckError} if a Compute Budget instruction sets anything but price and limit
 */
export function networkFee(
  instructions: readonly ClaimInstruction[],
  signatures: number,
  ignored: readonly string[] = [],
): bigint {
  const settings = new Map<string, bigint>();
  for (const instruction of instructions) {
    if (instruction.program !== COMPUTE_BUDGET_PROGRAM) continue;
    if (ignored.includes(tryRead(instruction)?.name ?? "")) continue;
    const [name, value] = readSetting(instruction);
    if (settings.has(name)) refuseInstruction(instruction, "the compute budget is set twice");
    settings.set(name, value);
  }
  const asked =
    settings.get("SetComputeUnitLimit") ?? DEFAULT_COMPUTE_UNITS * BigInt(instructions.length);
  const units = asked < MAX_COMPUTE_UNITS ? asked : MAX_COMPUTE_UNITS;
  const microlamports = units * (settings.get("SetComputeUnitPrice") ?? 0n);
  const priorityFee = (microlamports + MICROLAMPORTS_PER_LAMPORT - 1n) / MICROLAMPORTS_PER_LAMPORT;
  return LAMPORTS_PER_SIGNATURE * BigInt(signatures) + priorityFee;
}

function readSetting(instruction: ClaimInstruction): readonly [name: string, value: bigint] {
  const read = tryRead(instruction);
  const name = read?.name as keyof typeof SETTINGS;
  if (!read || read.more.length > 0 || !Object.hasOwn(SETTINGS, name)) {
    const { data } = instruction;
    refuseInstruction(instruction, `compute budget instruction ${data[0]}, ${data.length} bytes`);
  }
  return [name, BigInt(read.args[SETTINGS[name]] as bigint | number)];
}
