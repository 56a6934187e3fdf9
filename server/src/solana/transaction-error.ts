import { SystemProgram, type TransactionError, type TransactionInstruction } from "@solana/web3.js";
import { PROGRAMS } from "@tokenctl/shared/programs/programs";

/**
 * The cause of a failed transaction:
 * - `payer`: the fee payer lacks lamports.
 * - `later`: the cluster's state or load; the same transaction may succeed later.
 * - `program`: the transaction itself, most often a program that refuses its instructions.
 */
export type ErrorClass = "payer" | "later" | "program";

/** Errors that do not depend on the instructions. Source: `TransactionError` in solana-sdk. */
const LATER = new Set([
  "AccountInUse",
  "AlreadyProcessed",
  "BlockhashNotFound",
  "ClusterMaintenance",
  "CommitCancelled",
  "ProgramCacheHitMaxLimit",
  "ResanitizationNeeded",
  "UnbalancedTransaction",
  "WouldExceedAccountDataBlockLimit",
  "WouldExceedAccountDataTotalLimit",
  "WouldExceedMaxAccountCostLimit",
  "WouldExceedMaxBlockCostLimit",
  "WouldExceedMaxVoteCostLimit",
]);

const PAYER = new Set(["AccountNotFound", "InsufficientFundsForFee"]);

/** The System program's `SystemError::ResultWithNegativeLamports`. */
const NEGATIVE_LAMPORTS = 1;

/** @param logs the transaction's; without them, a shortage of lamports may count as `program` */
export function classifyError(error: TransactionError, logs: readonly string[]): ErrorClass {
  if (typeof error === "string") {
    if (LATER.has(error)) return "later";
    return PAYER.has(error) ? "payer" : "program";
  }
  // Index 0 is the fee payer.
  if (Object(Object(error).InsufficientFundsForRent).account_index === 0) return "payer";
  const isShortage =
    programRefusal(error)?.code === NEGATIVE_LAMPORTS &&
    firstFailingProgram(logs) === SystemProgram.programId.toBase58();
  return isShortage ? "payer" : "program";
}

/**
 * Returns a public message, for example `instruction 3: custom program error 6001`.
 * @param instructions the transaction's; they add words to known custom errors
 */
export function describeError(
  error: TransactionError,
  instructions: readonly Pick<TransactionInstruction, "programId">[] = [],
): string {
  if (typeof error === "string") return words(error);
  const refusal = programRefusal(error);
  if (refusal === null) return words(nameOf(error));
  const { index, code, name } = refusal;
  if (code === null) return `instruction ${index}: ${words(name)}`;
  const known = PROGRAMS.get(String(instructions[index]?.programId))?.errors[code];
  return `${known ?? `instruction ${index}`}: custom program error ${code}`;
}

export interface ProgramRefusal {
  /** The instruction's position in the transaction, from 0. */
  readonly index: number;
  /** The program's own error code; null for one of Solana's errors, which has only a name. */
  readonly code: number | null;
  readonly name: string;
}

/** Parses `{ InstructionError: [3, { Custom: 6001 }] }` or `{ InstructionError: [0, "Name"] }`. */
export function programRefusal(error: TransactionError): ProgramRefusal | null {
  const [index, reason] = [Object(error).InstructionError].flat() as unknown[];
  if (typeof index !== "number") return null;
  const code: unknown = Object(reason).Custom;
  return { index, code: typeof code === "number" ? code : null, name: nameOf(reason) };
}

function nameOf(error: unknown): string {
  return typeof error === "string" ? error : (Object.keys(Object(error))[0] ?? "unknown error");
}

/** Returns the innermost program that failed: it logs its failure first, before its callers. */
function firstFailingProgram(logs: readonly string[]): string | null {
  const lines = logs.map((line) => /^Program (\w{32,44}) failed: /.exec(line)?.[1]);
  return lines.find((program) => program !== undefined) ?? null;
}

/** Turns `InvalidAccountData` into `invalid account data`, and drops everything but letters. */
function words(name: string): string {
  return name
    .replace(/[^A-Za-z ]/g, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}
