import type { WireInstruction } from "@tokenctl/shared/wire-transaction";
import { sameBytes } from "./account.ts";
import { BUILTIN_PROGRAMS, COMPUTE_BUDGET_PROGRAM, SIGNATURE_PROGRAMS } from "./well-known.ts";
import type { WireMessage } from "./wire-transaction.ts";

/** The fee of a signature (solana-fee-structure `FeeStructure::default`). */
const LAMPORTS_PER_SIGNATURE = 5_000n;

/**
 * The limit, and the defaults of instructions (agave `MAX_COMPUTE_UNIT_LIMIT`,
 * `MAX_BUILTIN_ALLOCATION_COMPUTE_UNIT_LIMIT`, `DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT`).
 */
const MAX_COMPUTE_UNITS = 1_400_000n;
const COMPUTE_UNITS_OF_BUILTIN = 3_000n;
const COMPUTE_UNITS_OF_PROGRAM = 200_000n;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/** First bytes of instructions of the compute budget program (`ComputeBudgetInstruction`). */
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

export function feeOf(message: WireMessage): bigint {
  let signatures = BigInt(message.requiredSignatures);
  let defaultUnits = 0n;
  let units: bigint | null = null;
  let price = 0n;
  for (const instruction of message.instructions) {
    const program = message.staticKeys[instruction.programIdIndex] ?? new Uint8Array();
    const is = (known: Uint8Array): boolean => sameBytes(known, program);
    if (SIGNATURE_PROGRAMS.some(is)) signatures += BigInt(instruction.data[0] ?? 0);
    defaultUnits += BUILTIN_PROGRAMS.some(is) ? COMPUTE_UNITS_OF_BUILTIN : COMPUTE_UNITS_OF_PROGRAM;
    // A version 1 message says in its config what it requests; these instructions do nothing in it.
    if (message.config === null && is(COMPUTE_BUDGET_PROGRAM)) {
      units = operand(instruction, SET_COMPUTE_UNIT_LIMIT, 4) ?? units;
      price = operand(instruction, SET_COMPUTE_UNIT_PRICE, 8) ?? price;
    }
  }
  const wanted = units ?? defaultUnits;
  const limit = wanted < MAX_COMPUTE_UNITS ? wanted : MAX_COMPUTE_UNITS;
  const priority = (price * limit + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return signatures * LAMPORTS_PER_SIGNATURE + (message.config?.priorityFee ?? priority);
}

function operand({ data }: WireInstruction, kind: number, bytes: 4 | 8): bigint | null {
  if (data[0] !== kind || data.length < 1 + bytes) return null;
  const value = Buffer.from(data.subarray(1));
  return bytes === 4 ? BigInt(value.readUInt32LE()) : value.readBigUInt64LE();
}
