import { base58 } from "../../base/base58.ts";
import type { StoredAccount } from "../account.ts";
import { asInteger, type Config } from "./method.ts";
import { parsedTokenData } from "./parsed-token.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";

/** The most account data that base58 may encode (agave `MAX_BASE58_BYTES`). */
const MAX_BASE58_BYTES = 128;

const ENCODINGS = ["binary", "base58", "base64", "base64+zstd", "jsonParsed"] as const;
type Encoding = (typeof ENCODINGS)[number];

export interface AccountEncoding {
  readonly encoding: Encoding;
  readonly slice: { readonly offset: number; readonly length: number } | null;
}

/** Reads `encoding` and `dataSlice` of a configuration. */
export function accountEncodingOf(config: Config, fallback: Encoding = "binary"): AccountEncoding {
  const encoding = (config.encoding ?? fallback) as Encoding;
  if (!ENCODINGS.includes(encoding)) {
    throw invalidParams(`unknown variant \`${String(encoding)}\``);
  }
  const slice = config.dataSlice as { offset?: unknown; length?: unknown } | null | undefined;
  if (slice === undefined || slice === null) return { encoding, slice: null };
  return {
    encoding,
    slice: { offset: asInteger(slice.offset), length: asInteger(slice.length) },
  };
}

/**
 * An account as the RPC writes it (agave `UiAccount`).
 *
 * @param mintOf reads an account that may be a mint, for `jsonParsed`
 */
export function encodeAccount(
  account: StoredAccount,
  encoding: AccountEncoding,
  mintOf: (mint: Uint8Array) => StoredAccount | null,
): Record<string, unknown> {
  return {
    data: encodeData(account, encoding, mintOf),
    executable: account.executable,
    lamports: account.lamports,
    owner: base58.encode(account.owner),
    rentEpoch: account.rentEpoch,
    space: account.data.length,
  };
}

function encodeData(
  account: StoredAccount,
  { encoding, slice }: AccountEncoding,
  mintOf: (mint: Uint8Array) => StoredAccount | null,
): unknown {
  if (encoding === "jsonParsed") {
    const parsed = parsedTokenData(account, mintOf);
    if (parsed !== null) return parsed;
  }
  const data =
    slice === null
      ? account.data
      : account.data.subarray(slice.offset, slice.offset + slice.length);
  switch (encoding) {
    case "binary":
      return encodeBase58(data);
    case "base58":
      return [encodeBase58(data), "base58"];
    case "base64+zstd":
      return [Bun.zstdCompressSync(data).toString("base64"), encoding];
    default:
      return [Buffer.from(data).toString("base64"), "base64"];
  }
}

function encodeBase58(data: Uint8Array): string {
  if (data.length > MAX_BASE58_BYTES) {
    throw new RpcError(
      RPC_CODES.invalidRequest,
      `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`,
    );
  }
  return base58.encode(data);
}
