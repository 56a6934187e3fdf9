import { type SendTransactionError, SystemProgram, type TransactionError } from "@solana/web3.js";

/**
 * The cause of a failed transaction:
 * - `payer`: the fee payer lacks lamports.
 * - `later`: the cluster's state or load; the same transaction may succeed later.
 * - `program`: a program refused the instructions.
 */
export type ErrorClass = "payer" | "later" | "program";

/** Errors that say nothing about the instructions. Source: `TransactionError` of solana-sdk. */
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

const PAYER = new Set(["AccountNotFound", "InsufficientFundsForFee", "InvalidAccountForFee"]);

/** `SystemError::ResultWithNegativeLamports` of the System program. */
const NEGATIVE_LAMPORTS = 1;

/** @param logs the transaction's logs; without them a lack of lamports may count as `program` */
export function classifyError(error: TransactionError, logs: readonly string[]): ErrorClass {
  if (typeof error === "string") {
    if (LATER.has(error)) return "later";
    return PAYER.has(error) ? "payer" : "program";
  }
  if (isPayersRent(error)) return "payer";
  const instruction = instructionError(error);
  if (instruction === null) return "program";
  if (instruction.reason === "ComputationalBudgetExceeded") return "later";
  const isShortage =
    instruction.reason === NEGATIVE_LAMPORTS &&
    firstFailingProgram(logs) === SystemProgram.programId.toBase58();
  return isShortage ? "payer" : "program";
}

/** @returns a public message, for example `instruction 3: custom program error 6001` */
export function describeError(error: TransactionError): string {
  if (typeof error === "string") return words(error);
  const instruction = instructionError(error);
  if (instruction === null) return words(Object.keys(error)[0] ?? "unknown error");
  const { index, reason } = instruction;
  const what = typeof reason === "number" ? `custom program error ${reason}` : words(reason);
  return `instruction ${index}: ${what}`;
}

export interface ProgramRefusal {
  /** The instruction's position in the transaction, from 0. */
  readonly index: number;
  readonly code: number;
}

export function programRefusal(error: TransactionError): ProgramRefusal | null {
  const refused = typeof error === "string" ? null : instructionError(error);
  return typeof refused?.reason === "number"
    ? { index: refused.index, code: refused.reason }
    : null;
}

export function customCode(error: TransactionError): number | null {
  return programRefusal(error)?.code ?? null;
}

/** `{ InstructionError: [3, { Custom: 6001 }] }` or `{ InstructionError: [0, "InvalidAccountData"] }`. */
function instructionError(error: object): { index: number; reason: string | number } | null {
  if (!("InstructionError" in error) || !Array.isArray(error.InstructionError)) return null;
  const [index, reason] = error.InstructionError as unknown[];
  if (typeof index !== "number") return null;
  if (typeof reason === "string") return { index, reason };
  if (typeof reason !== "object" || reason === null) return null;
  if ("Custom" in reason && typeof reason.Custom === "number") {
    return { index, reason: reason.Custom };
  }
  return { index, reason: Object.keys(reason)[0] ?? "unknown error" };
}

/** `{ InsufficientFundsForRent: { account_index: 0 } }`; index 0 is the fee payer. */
function isPayersRent(error: object): boolean {
  const { InsufficientFundsForRent: detail } = error as Record<string, unknown>;
  return (Object(detail) as Record<string, unknown>).account_index === 0;
}

/** The innermost program logs its failure first, then its callers. */
function firstFailingProgram(logs: readonly string[]): string | null {
  const lines = logs.map((line) => /^Program (\w{32,44}) failed: /.exec(line)?.[1]);
  return lines.find((program) => program !== undefined) ?? null;
}

/** `InvalidAccountData` becomes `invalid account data`; everything but letters is dropped. */
function words(name: string): string {
  return name
    .replace(/[^A-Za-z ]/g, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}

/**
 * Why a node did not take a transaction:
 * - `duplicate`: it has landed already.
 * - `blockhash`: expired, or newer than the node's state.
 * - `payer`: the fee payer lacks lamports.
 * - `program`: a program refuses it.
 * - `signature`: a signature does not verify.
 * - `node`: a problem of the node, not of the transaction.
 */
export type SendRefusalKind =
  | "duplicate"
  | "blockhash"
  | "payer"
  | "program"
  | "signature"
  | "node";

export interface SendRefusal {
  readonly kind: SendRefusalKind;
  /** Public, for example `instruction 1: custom program error 1`. */
  readonly reason: string;
  /** Which instruction a program refused with a code of its own; null for another reason. */
  readonly program: ProgramRefusal | null;
  readonly logs: readonly string[];
}

const SIMULATION_FAILED = "Transaction simulation failed: ";

/** The messages of agave's `TransactionError`: web3.js keeps nothing else of it. */
const KINDS: readonly (readonly [RegExp, SendRefusalKind])[] = [
  [/^This transaction has already been processed/, "duplicate"],
  [/^Blockhash not found/, "blockhash"],
  [/^Insufficient funds for fee/, "payer"],
  [/^Attempt to debit an account but found no record of a prior credit/, "payer"],
  [/^Transaction results in an account \(0\) with insufficient funds for rent/, "payer"],
];

export function readSendRefusal(error: SendTransactionError): SendRefusal {
  const { message, logs = [] } = error.transactionError;
  if (message.includes("signature verification failure")) {
    return { kind: "signature", reason: "a signature does not verify", program: null, logs };
  }
  if (!message.startsWith(SIMULATION_FAILED))
    return { kind: "node", reason: "", program: null, logs };
  const text = message.slice(SIMULATION_FAILED.length);
  const known = KINDS.find(([pattern]) => pattern.test(text));
  if (known) return { kind: known[1], reason: plain(text), program: null, logs };
  const kind = logs.some((line) => line.includes("insufficient lamports")) ? "payer" : "program";
  return { kind, reason: plain(text), program: customRefusal(text), logs };
}

function plain(text: string): string {
  const custom = customRefusal(text);
  if (custom) return `instruction ${custom.index}: custom program error ${custom.code}`;
  const failed = /^Error processing Instruction (\d+): (.*)$/.exec(text);
  if (!failed) return plainWords(text);
  const [, index, what = ""] = failed;
  return `instruction ${index}: ${plainWords(what)}`;
}

function customRefusal(text: string): ProgramRefusal | null {
  const failed =
    /^Error processing Instruction (\d+): custom program error: 0x([0-9a-f]{1,8})$/.exec(text);
  if (!failed) return null;
  const [, index = "", code = ""] = failed;
  return { index: Number(index), code: Number.parseInt(code, 16) };
}

/** A node can send any text: only plain characters are kept. */
function plainWords(text: string): string {
  return text
    .replace(/[^A-Za-z0-9 ().,-]/g, "")
    .slice(0, 100)
    .toLowerCase();
}
