import { readMessage, splitTransaction, type WireMessage } from "@tokenctl/shared/wire-transaction";
import { base58 } from "../base/base58.ts";
import { bytesKey } from "./accounts.ts";
import { describeTransactionError, type TransactionError } from "./transaction-error.ts";

export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  /** The first signature in base58, which identifies the transaction. */
  readonly signature: string;
  readonly message: WireMessage;
}

/** A node's refusal before simulation (agave `decode_and_deserialize`, `sanitize_transaction`). */
export class MalformedTransactionError extends Error {
  override readonly name = "MalformedTransactionError";
}

/** Returns agave's refusal of bytes that parse, but are not a valid transaction. */
export function invalidTransaction(error: TransactionError): MalformedTransactionError {
  return new MalformedTransactionError(`invalid transaction: ${describeTransactionError(error)}`);
}

/** The limits of a version 1 message (SIMD-0385). */
const VERSION_1_LIMITS = { signatures: 12, accounts: 64 } as const;
/** solana-transaction-context `MAX_INSTRUCTION_TRACE_LENGTH`, `MAX_ACCOUNTS_PER_INSTRUCTION`. */
const MESSAGE_LIMITS = { instructions: 64, accountsOfInstruction: 255 } as const;
const HEAP_BYTES = { step: 1_024, min: 32 * 1_024, max: 256 * 1_024 } as const;

/**
 * Parses any version as strictly as a node: LiteSVM aborts the process on other bytes.
 * @throws {MalformedTransactionError} the bytes are not a valid transaction
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  // A node can parse a count of 0 no matter what follows.
  if (bytes[0] === 0) throw invalidTransaction("SanitizeFailure");
  const { signatures, message } = deserialize(
    "solana_transaction::versioned::VersionedTransaction",
    () => {
      const { signatures, message } = splitTransaction(bytes);
      return { signatures, message: readMessage(message) };
    },
  );
  const [first] = signatures;
  if (first === undefined || signatures.length !== message.requiredSignatures) {
    throw invalidTransaction("SanitizeFailure");
  }
  if (message.lookups.length > 0) {
    throw new MalformedTransactionError("this chain offers no address lookup tables");
  }
  if (!isSanitary(message)) throw invalidTransaction("SanitizeFailure");
  return { bytes, signatures, signature: base58.encode(first), message };
}

/** @throws {MalformedTransactionError} the bytes are not a valid message */
export function parseMessage(bytes: Uint8Array): WireMessage {
  const message = deserialize("solana_message::versions::VersionedMessage", () =>
    readMessage(bytes),
  );
  if (isSanitary(message)) return message;
  const reason = describeTransactionError("SanitizeFailure");
  throw new MalformedTransactionError(`invalid transaction message: ${reason}`);
}

/** Replaces the blockhash, which makes the signatures invalid. */
export function withBlockhash(tx: WireTransaction, blockhash: Uint8Array): WireTransaction {
  const bytes = Uint8Array.from(tx.bytes);
  const messageOffset = tx.message.bytes.byteOffset - tx.bytes.byteOffset;
  bytes.set(blockhash, messageOffset + tx.message.blockhashOffset);
  return parseTransaction(bytes);
}

/** Makes the checks of agave's `RuntimeTransaction::try_create` and each version's `sanitize`. */
function isSanitary(message: WireMessage): boolean {
  const { staticKeys, instructions, requiredSignatures } = message;
  const keys = staticKeys.length;
  const paysFee = message.readonlySigned < requiredSignatures;
  const fits = requiredSignatures + message.readonlyUnsigned <= keys;
  return (
    paysFee &&
    fits &&
    keys <= 256 &&
    (message.config === null || isSanitaryVersion1(message)) &&
    instructions.length <= MESSAGE_LIMITS.instructions &&
    instructions.every(
      ({ programIdIndex, accounts }) =>
        programIdIndex > 0 &&
        programIdIndex < keys &&
        accounts.length <= MESSAGE_LIMITS.accountsOfInstruction &&
        accounts.every((index) => index < keys),
    )
  );
}

function isSanitaryVersion1({ requiredSignatures, staticKeys, config }: WireMessage): boolean {
  const heap = config?.heapSize ?? HEAP_BYTES.min;
  return (
    requiredSignatures <= VERSION_1_LIMITS.signatures &&
    staticKeys.length <= VERSION_1_LIMITS.accounts &&
    new Set(staticKeys.map(bytesKey)).size === staticKeys.length &&
    heap % HEAP_BYTES.step === 0 &&
    heap >= HEAP_BYTES.min &&
    heap <= HEAP_BYTES.max
  );
}

function deserialize<Read>(type: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new MalformedTransactionError(`failed to deserialize ${type}: ${error.message}`);
  }
}
