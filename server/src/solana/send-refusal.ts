import type { SendTransactionError } from "@solana/web3.js";
import type { ProgramRefusal } from "./transaction-error.ts";

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

/** Finds out why a node refused a transaction that was sent with preflight. */
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
  if (!failed) return words(text);
  const [, index, what = ""] = failed;
  return `instruction ${index}: ${words(what)}`;
}

function customRefusal(text: string): ProgramRefusal | null {
  const failed =
    /^Error processing Instruction (\d+): custom program error: 0x([0-9a-f]{1,8})$/.exec(text);
  if (!failed) return null;
  const [, index = "", code = ""] = failed;
  return { index: Number(index), code: Number.parseInt(code, 16) };
}

/** A node can send any text: only plain characters are kept. */
function words(text: string): string {
  return text
    .replace(/[^A-Za-z0-9 ().,-]/g, "")
    .slice(0, 100)
    .toLowerCase();
}
