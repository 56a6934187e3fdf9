import bs58 from "bs58";
import { MAX_VERSION_1_BYTES } from "../wire-transaction.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";

/**
 * The longest texts of a transaction: in base64 of a version 1 transaction, in base58, which is
 * deprecated and slow to decode, of an earlier one (agave `MAX_BASE58_SIZE`).
 */
const MAX_BASE58_CHARS = 1_683;
const MAX_BASE64_CHARS = 5_464;

/** Decodes the transaction of a call; errors have agave's texts (`decode_and_deserialize`). */
export function decodeTransaction(text: string, encoding: unknown): Uint8Array {
  const most = encoding === "base58" ? MAX_BASE58_CHARS : MAX_BASE64_CHARS;
  if (text.length > most) {
    throw new RpcError(
      RPC_CODES.invalidParams,
      `${String(encoding)} encoded solana_transaction::versioned::VersionedTransaction too large: ${text.length} bytes (max: encoded/raw ${most}/${MAX_VERSION_1_BYTES})`,
    );
  }
  if (encoding === "base64") {
    const bytes = Buffer.from(text, "base64");
    if (bytes.toString("base64") !== text) throw invalidParams("invalid base64 encoding");
    return bytes;
  }
  if (encoding !== "base58") {
    throw invalidParams(
      `unsupported encoding: ${String(encoding)}. Supported encodings: base58, base64`,
    );
  }
  const bytes = bs58.decodeUnsafe(text);
  if (bytes === undefined) throw invalidParams("invalid base58 encoding");
  return bytes;
}
