import bs58 from "bs58";
import type { StoredAccount } from "../account.ts";
import { sameBytes } from "../bytes.ts";
import { isTokenProgram, readTokenAccount } from "../token-layout.ts";
import { asInteger, type Config } from "./method.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";

/** The most filters of a call (agave `MAX_GET_PROGRAM_ACCOUNT_FILTERS`). */
const MAX_FILTERS = 4;
/** The most bytes that a filter compares (agave `MAX_DATA_SIZE`). */
const MAX_MEMCMP_BYTES = 128;

export type AccountFilter =
  | { readonly kind: "size"; readonly size: number }
  | { readonly kind: "bytes"; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: "token-account" };

/** Reads `filters` of `getProgramAccounts`. */
export function readFilters(config: Config): AccountFilter[] {
  const filters = config.filters;
  if (filters === undefined || filters === null) return [];
  if (!Array.isArray(filters)) throw invalidParams("filters must be an array");
  if (filters.length > MAX_FILTERS) {
    throw new RpcError(RPC_CODES.invalidParams, `Too many filters provided; max ${MAX_FILTERS}`);
  }
  return filters.map(readFilter);
}

export function matches(account: StoredAccount, filters: readonly AccountFilter[]): boolean {
  return filters.every((filter) => {
    if (filter.kind === "size") return account.data.length === filter.size;
    if (filter.kind === "token-account") {
      return isTokenProgram(account.owner) && readTokenAccount(account) !== null;
    }
    const { offset, bytes } = filter;
    return sameBytes(account.data.subarray(offset, offset + bytes.length), bytes);
  });
}

function readFilter(filter: unknown): AccountFilter {
  if (filter === "tokenAccountState") return { kind: "token-account" };
  if (typeof filter !== "object" || filter === null) throw invalidParams("unknown filter");
  if ("dataSize" in filter) return { kind: "size", size: asInteger(filter.dataSize) };
  if ("tokenAccountState" in filter) return { kind: "token-account" };
  if ("memcmp" in filter && typeof filter.memcmp === "object" && filter.memcmp !== null) {
    const { offset, bytes, encoding } = filter.memcmp as Config;
    return { kind: "bytes", offset: asInteger(offset), bytes: readBytes(bytes, encoding) };
  }
  throw invalidParams("unknown filter");
}

function readBytes(bytes: unknown, encoding: unknown): Uint8Array {
  const decoded = decodeBytes(bytes, encoding);
  if (decoded === undefined) throw invalidParams("invalid memcmp bytes");
  if (decoded.length > MAX_MEMCMP_BYTES) throw invalidParams("memcmp bytes too large");
  return decoded;
}

function decodeBytes(bytes: unknown, encoding: unknown): Uint8Array | undefined {
  if (Array.isArray(bytes)) return Uint8Array.from(bytes as number[]);
  if (typeof bytes !== "string" || bytes.length > 2 * MAX_MEMCMP_BYTES) return undefined;
  return encoding === "base64" ? Buffer.from(bytes, "base64") : bs58.decodeUnsafe(bytes);
}
