import { createHash } from "node:crypto";
import { Message, PublicKey, TransactionMessage } from "@solana/web3.js";
import { isAssertion, LIGHTHOUSE_PROGRAM, MAX_ASSERTIONS } from "@tokenctl/shared/lighthouse";
import { type SplitTransaction, splitTransaction } from "@tokenctl/shared/wire-transaction";
import { ServiceError } from "../../base/service-error.ts";
import { readTransaction } from "../../http/body.ts";
import type { ClaimRow, Claims } from "../../store/claims.ts";

export interface SignedClaimBytes {
  readonly transaction: Uint8Array;
  /** The agent's. */
  readonly signature: Uint8Array;
  readonly message: Uint8Array;
  /** Whether the launch wallet signs it too, before the agent. */
  readonly isSponsored: boolean;
}

/**
 * Splits a signed transaction. Its message is not parsed: the claim is found by its hash.
 * @returns null unless it has the agent's signature alone, or after a sponsor's place
 */
export function parseSignedClaim(base64: string): SignedClaimBytes | null {
  const transaction = readTransaction(base64);
  const parts = split(transaction);
  if (parts === null) return null;
  const { signatures, message } = parts;
  const [first, second] = signatures;
  // A message begins with its count of signers: with another count of signatures it cannot land, and
  // the launch wallet signs only a message that asks for it.
  if (!first || signatures.length > 2 || (message[0] === 2) !== (second !== undefined)) return null;
  return { transaction, signature: second ?? first, message, isSponsored: second !== undefined };
}

function split(transaction: Uint8Array): SplitTransaction | null {
  try {
    return splitTransaction(transaction);
  } catch {
    return null;
  }
}

/**
 * Finds what was handed out by the hash of its message, byte for byte but for the wallet's
 * assertions. @throws {ServiceError} 400 if assertions were added to a sponsored claim
 */
export async function findClaim(
  claims: Pick<Claims, "find">,
  wallet: string,
  { message, isSponsored }: SignedClaimBytes,
): Promise<ClaimRow | null> {
  const claim = await claims.find(wallet, messageHash(message));
  if (claim !== null) return claim;
  const prepared = withoutAssertions(message);
  const guarded = prepared && (await claims.find(wallet, messageHash(prepared)));
  // The launch wallet signs only for the claim's own programs. A claim that fails costs it one fee,
  // and with assertions one claim could be signed and fail many times.
  if (guarded && isSponsored) {
    throw new ServiceError("claim_mismatch", {
      advice:
        "Another wallet pays for this claim, and signs it only without the assertions that your wallet added. Use another wallet, or send SOL to this one and claim again.",
    });
  }
  return guarded;
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
 * @param bytes a legacy message
 * @returns null if it has no assertions, too many, or more of anything else than the result
 */
export function withoutAssertions(bytes: Uint8Array): Uint8Array | null {
  const read = readMessage(bytes);
  if (read === null) return null;
  const { signed, parts } = read;
  const { instructions } = parts;
  const added = instructions.filter(({ programId }) => programId.equals(lighthouse));
  if (added.length === 0 || added.length > MAX_ASSERTIONS) return null;
  if (!added.every(({ data }) => isAssertion(data))) return null;
  const compile = (these: typeof instructions) =>
    new TransactionMessage({ ...parts, instructions: these }).compileToLegacyMessage();
  // Compiled again, it has the same accounts only if each appears once and is used.
  if (!sameCounts(countAccounts(compile(instructions)), countAccounts(signed))) return null;
  const prepared = compile(instructions.filter((instruction) => !added.includes(instruction)));
  // What the assertions name beside the accounts of the claim does not sign and is only read.
  const { readOnlyOthers: _, ...unchanged } = countAccounts(prepared);
  if (!sameCounts(unchanged, countAccounts(signed))) return null;
  return Uint8Array.from(prepared.serialize());
}

/** @returns null if the bytes are not a legacy message in the canonical form */
function readMessage(bytes: Uint8Array) {
  try {
    const signed = Message.from(bytes);
    if (!signed.serialize().equals(bytes)) return null;
    return { signed, parts: TransactionMessage.decompile(signed) };
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

function countAccounts({ header, accountKeys }: Message): AccountCounts {
  const signers = header.numRequiredSignatures;
  const readOnlyOthers = header.numReadonlyUnsignedAccounts;
  return {
    signers,
    readOnlySigners: header.numReadonlySignedAccounts,
    writableOthers: accountKeys.length - signers - readOnlyOthers,
    readOnlyOthers,
  };
}

function sameCounts(some: Partial<AccountCounts>, all: AccountCounts): boolean {
  return Object.entries(some).every(([kind, count]) => all[kind as keyof AccountCounts] === count);
}
