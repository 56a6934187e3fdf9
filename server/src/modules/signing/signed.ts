import { createHash } from "node:crypto";
import { PublicKey, TransactionMessage, VersionedMessage } from "@solana/web3.js";
import { isAssertion, LIGHTHOUSE_PROGRAM, MAX_ASSERTIONS } from "@tokenctl/shared/lighthouse";
import {
  readMessage,
  requiredSignatures,
  type SplitTransaction,
  splitTransaction,
  type WireMessage,
} from "@tokenctl/shared/wire-transaction";
import { readTransaction } from "../../http/body.ts";
import { compileAs } from "../../solana/message.ts";

export interface SignedMessage extends SplitTransaction {
  readonly transaction: Uint8Array;
}

/**
 * Splits a signed transaction. Its message is not parsed further: what was handed out is found by its hash.
 * @returns null unless it has as many signatures as its message asks for
 */
export function readSigned(base64: string): SignedMessage | null {
  const transaction = readTransaction(base64);
  try {
    const parts = splitTransaction(transaction);
    // With another count it cannot land, and the service signs only for a message that asks for it.
    return requiredSignatures(parts.message) === parts.signatures.length
      ? { ...parts, transaction }
      : null;
  } catch {
    return null;
  }
}

/** Hashes to 192 bits: fewer bytes in each claim, and two messages with one hash cannot be found. */
export function messageHash(message: Uint8Array): string {
  return createHash("sha256").update(message).digest("base64url").slice(0, 32);
}

const lighthouse = new PublicKey(LIGHTHOUSE_PROGRAM);

/**
 * Takes the assertions out of a message to which a wallet added them, and compiles it as step 1
 * did: the order of addresses follows from the instructions. If the wallet changed nothing else,
 * the result is what step 1 returned, byte for byte; its hash decides.
 *
 * @returns null if it has no assertions, too many, or more of anything else than the result
 */
export function withoutAssertions(bytes: Uint8Array): Uint8Array | null {
  const read = open(bytes);
  if (read === null) return null;
  const { wire, payer, blockhash, instructions } = read;
  const added = instructions.filter(({ programId }) => programId.equals(lighthouse));
  if (added.length === 0 || added.length > MAX_ASSERTIONS) return null;
  if (!added.every(({ data }) => isAssertion(data))) return null;
  const compile = (these: typeof instructions) =>
    compileAs(wire.config, { payer, blockhash }, these);
  // Compiled again, it has the same accounts only if each appears once and is used.
  const signed = countAccounts(wire);
  if (!sameCounts(countAccounts(readMessage(compile(instructions))), signed)) return null;
  const prepared = compile(instructions.filter((instruction) => !added.includes(instruction)));
  // What the assertions name beside the accounts of the claim does not sign and is only read.
  const { readOnlyOthers: _, ...unchanged } = countAccounts(readMessage(prepared));
  return sameCounts(unchanged, signed) ? prepared : null;
}

/** @returns null if the bytes are not a canonical message, or of a version that is never handed out */
function open(bytes: Uint8Array) {
  try {
    const wire = readMessage(bytes);
    if (wire.version === 0) return null;
    const { payerKey: payer, ...parts } = TransactionMessage.decompile(
      VersionedMessage.deserialize(bytes),
    );
    return { wire, payer, blockhash: parts.recentBlockhash, instructions: parts.instructions };
  } catch {
    return null;
  }
}

interface AccountCounts {
  readonly signers: number;
  readonly readOnlySigners: number;
  readonly writableOthers: number;
  readonly readOnlyOthers: number;
}

function countAccounts(message: WireMessage): AccountCounts {
  const { requiredSignatures: signers, readonlySigned, readonlyUnsigned, staticKeys } = message;
  return {
    signers,
    readOnlySigners: readonlySigned,
    writableOthers: staticKeys.length - signers - readonlyUnsigned,
    readOnlyOthers: readonlyUnsigned,
  };
}

function sameCounts(some: Partial<AccountCounts>, all: AccountCounts): boolean {
  return Object.entries(some).every(([kind, count]) => all[kind as keyof AccountCounts] === count);
}
