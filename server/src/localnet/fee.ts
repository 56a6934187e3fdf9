import type { WireInstruction, WireMessage } from "@tokenctl/shared/wire-transaction";
import { sameBytes } from "./accounts.ts";
import { BUILTIN_PROGRAMS, COMPUTE_BUDGET_PROGRAM, SIGNATURE_PROGRAMS } from "./well-known.ts";
import { invalidTransaction } from "./wire-transaction.ts";

/** The usual fee per signature (solana-fee-structure `FeeStructure::default`). */
export const LAMPORTS_PER_SIGNATURE = 5_000n;

/**
 * The limit, and the defaults per instruction (agave `MAX_COMPUTE_UNIT_LIMIT`,
 * `MAX_BUILTIN_ALLOCATION_COMPUTE_UNIT_LIMIT`, `DEFAULT_INSTRUCTION_COMPUTE_UNIT_LIMIT`).
 */
const MAX_COMPUTE_UNITS = 1_400_000n;
const COMPUTE_UNITS_OF_BUILTIN = 3_000n;
const COMPUTE_UNITS_OF_PROGRAM = 200_000n;
const MICRO_LAMPORTS_PER_LAMPORT = 1_000_000n;

/** The operand's length in bytes, by an instruction's first byte (`ComputeBudgetInstruction`). */
const OPERAND_BYTES: Readonly<Record<number, number>> = { 1: 4, 2: 4, 3: 8, 4: 4 };
const SET_COMPUTE_UNIT_LIMIT = 2;
const SET_COMPUTE_UNIT_PRICE = 3;

export function feeOf(message: WireMessage, lamportsPerSignature = LAMPORTS_PER_SIGNATURE): bigint {
  let signatures = BigInt(message.requiredSignatures);
  let defaultUnits = 0n;
  for (const instruction of message.instructions) {
    const program = programOf(message, instruction);
    const is = (known: Uint8Array): boolean => sameBytes(known, program);
    if (SIGNATURE_PROGRAMS.some(is)) signatures += BigInt(instruction.data[0] ?? 0);
    defaultUnits += BUILTIN_PROGRAMS.some(is) ? COMPUTE_UNITS_OF_BUILTIN : COMPUTE_UNITS_OF_PROGRAM;
  }
  const requests = budgetRequests(message);
  const wanted = requests.get(SET_COMPUTE_UNIT_LIMIT) ?? defaultUnits;
  const limit = wanted < MAX_COMPUTE_UNITS ? wanted : MAX_COMPUTE_UNITS;
  const price = requests.get(SET_COMPUTE_UNIT_PRICE) ?? 0n;
  const priority = (price * limit + MICRO_LAMPORTS_PER_LAMPORT - 1n) / MICRO_LAMPORTS_PER_LAMPORT;
  return signatures * lamportsPerSignature + (message.config?.priorityFee ?? priority);
}

/**
 * Reads the requests to the compute budget program, by the first byte of the instruction.
 * @throws {MalformedTransactionError} a request is malformed or repeated (agave
 * `ComputeBudgetInstructionDetails`)
 */
export function budgetRequests(message: WireMessage): ReadonlyMap<number, bigint> {
  const requests = new Map<number, bigint>();
  // In a version 1 message, the config has the requests, and these instructions do nothing.
  if (message.config !== null) return requests;
  for (const [index, instruction] of message.instructions.entries()) {
    if (!sameBytes(programOf(message, instruction), COMPUTE_BUDGET_PROGRAM)) continue;
    const kind = instruction.data[0] ?? 0;
    const operand = instruction.data.subarray(1, 1 + (OPERAND_BYTES[kind] ?? 0));
    if (operand.length === 0 || operand.length !== OPERAND_BYTES[kind]) {
      throw invalidTransaction({ InstructionError: [index, "InvalidInstructionData"] });
    }
    if (requests.has(kind)) throw invalidTransaction({ DuplicateInstruction: index });
    requests.set(
      kind,
      operand.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n),
    );
  }
  return requests;
}

function programOf({ staticKeys }: WireMessage, { programIdIndex }: WireInstruction): Uint8Array {
  return staticKeys[programIdIndex] ?? new Uint8Array();
}
