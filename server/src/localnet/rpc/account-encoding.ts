import { base58 } from "../../base/base58.ts";
import type { StoredAccount } from "../account.ts";
import { sameBytes } from "../bytes.ts";
import { readMint, readTokenAccount } from "../token-layout.ts";
import { uiTokenAmount } from "../transaction-meta.ts";
import { TOKEN_PROGRAM } from "../well-known.ts";
import { asInteger, type Config } from "./method.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";

/** The most account data that base58 may encode (agave `MAX_BASE58_BYTES`). */
const MAX_BASE58_BYTES = 128;

const ENCODINGS = ["binary", "base58", "base64", "base64+zstd", "jsonParsed"] as const;
type Encoding = (typeof ENCODINGS)[number];

export interface AccountEncoding {
  readonly encoding: Encoding;
  readonly slice: { readonly offset: number; readonly length: number } | null;
}

type MintOf = (mint: Uint8Array) => StoredAccount | null;

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
  mintOf: MintOf,
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
  mintOf: MintOf,
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

/**
 * A token account or mint in the form of `jsonParsed` (agave `account-decoder/src/parse_token.rs`),
 * without the extensions of Token-2022.
 *
 * @returns null if it is neither
 */
function parsedTokenData(account: StoredAccount, mintOf: MintOf): Record<string, unknown> | null {
  const parsed = parsedAccount(account, mintOf) ?? parsedMint(account);
  if (parsed === null) return null;
  const program = sameBytes(account.owner, TOKEN_PROGRAM) ? "spl-token" : "spl-token-2022";
  return { program, parsed, space: account.data.length };
}

function parsedAccount(account: StoredAccount, mintOf: MintOf): Record<string, unknown> | null {
  const token = readTokenAccount(account);
  if (token === null) return null;
  const mint = readMint(mintOf(token.mint));
  if (mint === null) return null;
  const { delegate, closeAuthority, nativeReserve } = token;
  const info = {
    mint: base58.encode(token.mint),
    owner: base58.encode(token.owner),
    tokenAmount: uiTokenAmount(token.amount, mint.decimals),
    state: token.state,
    isNative: nativeReserve !== null,
    ...(delegate === null
      ? {}
      : {
          delegate: base58.encode(delegate),
          delegatedAmount: uiTokenAmount(token.delegatedAmount, mint.decimals),
        }),
    ...(nativeReserve === null
      ? {}
      : { rentExemptReserve: uiTokenAmount(nativeReserve, mint.decimals) }),
    ...(closeAuthority === null ? {} : { closeAuthority: base58.encode(closeAuthority) }),
  };
  return { type: "account", info };
}

function parsedMint(account: StoredAccount): Record<string, unknown> | null {
  const mint = readMint(account);
  if (mint === null) return null;
  const info = {
    mintAuthority: optional(mint.mintAuthority),
    supply: mint.supply.toString(),
    decimals: mint.decimals,
    isInitialized: true,
    freezeAuthority: optional(mint.freezeAuthority),
  };
  return { type: "mint", info };
}

function optional(key: Uint8Array | null): string | null {
  return key === null ? null : base58.encode(key);
}
