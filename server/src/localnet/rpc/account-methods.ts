import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import { base58 } from "../../base/base58.ts";
import type { AccountChange, StoredAccount } from "../account.ts";
import { sameBytes } from "../bytes.ts";
import type { LocalChain } from "../chain.ts";
import { type AccountEncoding, accountEncodingOf, encodeAccount } from "./account-encoding.ts";
import type { Allowance } from "./allowance.ts";
import { asInteger, type Config, type Methods, parseAddress, withContext } from "./method.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";

/** The most accounts of `getMultipleAccounts` (agave `MAX_MULTIPLE_ACCOUNTS`). */
const MAX_MULTIPLE_ACCOUNTS = 100;

/** Methods that read accounts, whatever program owns them. */
export const accountMethods: Methods = {
  getBalance: (chain, params) =>
    withContext(chain, params.config(1), chain.getBalance(new PublicKey(params.address(0)))),

  getAccountInfo: (chain, params, allowance) => {
    const config = params.config(1);
    const encoding = accountEncodingOf(config);
    return withContext(chain, config, readAccount(chain, params.address(0), encoding, allowance));
  },

  getMultipleAccounts: (chain, params, allowance) => {
    const addresses = params.strings(0, MAX_MULTIPLE_ACCOUNTS);
    allowance.countNames(addresses.length);
    const config = params.config(1);
    const encoding = accountEncodingOf(config, "base64");
    const accounts = addresses
      .map(parseAddress)
      .map((address) => readAccount(chain, address, encoding, allowance));
    return withContext(chain, config, accounts);
  },

  getProgramAccounts: (chain, params, allowance) => {
    const config = params.config(1);
    const filters = readFilters(config);
    const owned = chain.accountsOwnedBy(new PublicKey(params.address(0)));
    const keyed = keyedAccounts(
      chain,
      owned,
      (account) => matches(account, filters),
      config,
      allowance,
    );
    return config.withContext === true ? withContext(chain, config, keyed) : keyed;
  },
};

/** Encodes the accounts that match, each with its address (agave `RpcKeyedAccount`). */
export function keyedAccounts(
  chain: LocalChain,
  accounts: Iterable<AccountChange>,
  isMatch: (account: StoredAccount) => boolean,
  config: Config,
  allowance: Allowance,
): { readonly pubkey: string; readonly account: Record<string, unknown> }[] {
  const encoding = accountEncodingOf(config);
  const mintOf = mintReader(chain, allowance);
  const found = [];
  for (const entry of allowance.scan(accounts)) {
    if (!isMatch(entry.account)) continue;
    const account = encodeAccount(allowance.read(entry.account), encoding, mintOf);
    found.push({ pubkey: base58.encode(entry.address), account });
  }
  return found;
}

/** Reads mints for `jsonParsed`, at the request's cost. */
export function mintReader(
  chain: LocalChain,
  allowance: Allowance,
): (mint: Uint8Array) => StoredAccount | null {
  return (mint) => allowance.read(chain.getAccount(new PublicKey(mint)));
}

function readAccount(
  chain: LocalChain,
  address: Uint8Array,
  encoding: AccountEncoding,
  allowance: Allowance,
): Record<string, unknown> | null {
  const account = allowance.read(chain.getAccount(new PublicKey(address)));
  return account === null ? null : encodeAccount(account, encoding, mintReader(chain, allowance));
}

/** The most filters of a call (agave `MAX_GET_PROGRAM_ACCOUNT_FILTERS`). */
const MAX_FILTERS = 4;
/** The most bytes that a filter compares (agave `MAX_DATA_SIZE`). */
const MAX_MEMCMP_BYTES = 128;

type AccountFilter =
  | { readonly kind: "size"; readonly size: number }
  | { readonly kind: "bytes"; readonly offset: number; readonly bytes: Uint8Array };

/** Reads `filters` of `getProgramAccounts`. */
function readFilters(config: Config): AccountFilter[] {
  const filters = config.filters;
  if (filters === undefined || filters === null) return [];
  if (!Array.isArray(filters)) throw invalidParams("filters must be an array");
  if (filters.length > MAX_FILTERS) {
    throw new RpcError(RPC_CODES.invalidParams, `Too many filters provided; max ${MAX_FILTERS}`);
  }
  return filters.map(readFilter);
}

function matches(account: StoredAccount, filters: readonly AccountFilter[]): boolean {
  return filters.every((filter) => {
    if (filter.kind === "size") return account.data.length === filter.size;
    const { offset, bytes } = filter;
    return sameBytes(account.data.subarray(offset, offset + bytes.length), bytes);
  });
}

function readFilter(filter: unknown): AccountFilter {
  if (typeof filter !== "object" || filter === null) throw invalidParams("unknown filter");
  if ("dataSize" in filter) return { kind: "size", size: asInteger(filter.dataSize) };
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
  if (typeof bytes !== "string" || bytes.length > 2 * MAX_MEMCMP_BYTES) return undefined;
  return encoding === "base64" ? Buffer.from(bytes, "base64") : bs58.decodeUnsafe(bytes);
}
