import { COMPUTE_BUDGET_PROGRAM } from "./addresses.ts";
import type { ClaimInstruction } from "./instruction.ts";
import { refuseInstruction } from "./instruction.ts";

const LAMPORTS_PER_SIGNATURE = 5_000n;
/** Maximum compute units of a transaction, even if it requests more. */
const MAX_COMPUTE_UNITS = 1_400_000n;
/** Compute units that each instruction adds if the transaction sets no limit. */
const DEFAULT_COMPUTE_UNITS = 200_000n;
const MICROLAMPORTS_PER_LAMPORT = 1_000_000n;

/** By tag, and the bytes of their data. Source: Solana's `ComputeBudgetInstruction`. */
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;
const dataLengths: ReadonlyMap<number, number> = new Map([
  [SET_COMPUTE_UNIT_LIMIT, 5],
  [SET_COMPUTE_UNIT_PRICE, 9],
]);

/**
 * @returns lamports: the fee of each signature, and price × limit of the compute units, rounded up
 * @throws {ClaimCheckError} if a Compute Budget instruction sets anything but price and limit
 */
export function networkFee(instructions: readonly ClaimInstruction[], signatures: number): bigint {
  const settings = new Map<number, bigint>();
  for (const instruction of instructions) {
    if (instruction.program !== COMPUTE_BUDGET_PROGRAM) continue;
    const { tag, value } = readSetting(instruction);
    if (settings.has(tag)) refuseInstruction(instruction, "the compute budget is set twice");
    settings.set(tag, value);
  }
  const asked =
    settings.get(SET_COMPUTE_UNIT_LIMIT) ?? DEFAULT_COMPUTE_UNITS * BigInt(instructions.length);
  const units = asked < MAX_COMPUTE_UNITS ? asked : MAX_COMPUTE_UNITS;
  const microlamports = units * (settings.get(SET_COMPUTE_UNIT_PRICE) ?? 0n);
  const priorityFee = (microlamports + MICROLAMPORTS_PER_LAMPORT - 1n) / MICROLAMPORTS_PER_LAMPORT;
  return LAMPORTS_PER_SIGNATURE * BigInt(signatures) + priorityFee;
}

function readSetting(instruction: ClaimInstruction): { tag: number; value: bigint } {
  const { data } = instruction;
  const [tag = -1] = data;
  if (dataLengths.get(tag) !== data.length || instruction.accounts.length > 0) {
    refuseInstruction(instruction, `compute budget instruction ${tag}, ${data.length} bytes`);
  }
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const value =
    tag === SET_COMPUTE_UNIT_LIMIT ? BigInt(view.getUint32(1, true)) : view.getBigUint64(1, true);
  return { tag, value };
}
