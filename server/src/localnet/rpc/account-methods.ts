import bs58 from "bs58";
import { base58 } from "../../base/base58.ts";
import {
  type AccountChange,
  addressBytes,
  RENT_EXEMPT_EPOCH,
  type StoredAccount,
  sameBytes,
} from "../accounts.ts";
import type { LocalChain } from "../chain.ts";
import { isTokenProgram, readMint, readTokenAccount, uiTokenAmount } from "../transaction-meta.ts";
import {
  type Allowance,
  asInteger,
  type CallConfig,
  invalidParam,
  invalidParams,
  type Methods,
  notOffered,
  parseAddress,
  withContext,
} from "./method.ts";

/** The most accounts of `getMultipleAccounts` (agave `MAX_MULTIPLE_ACCOUNTS`). */
const MAX_MULTIPLE_ACCOUNTS = 100;
/** The most accounts of `getTokenLargestAccounts` (agave `NUM_LARGEST_ACCOUNTS`). */
const MAX_LARGEST_ACCOUNTS = 20;

export const accountMethods: Methods = {
  getBalance: (chain, params) =>
    withContext(chain, params.config(1), chain.getBalance(params.address(0))),

  getAccountInfo: (chain, params, allowance) => {
    const config = params.config(1);
    const encode = accountEncoder(config, allowance);
    return withContext(chain, config, encode(chain.getAccount(params.address(0))));
  },

  getMultipleAccounts: (chain, params, allowance) => {
    const addresses = params.strings(0, MAX_MULTIPLE_ACCOUNTS);
    const config = params.config(1);
    const encode = accountEncoder(config, allowance);
    const accounts = addresses
      .map(parseAddress)
      .map((address) => encode(chain.getAccount(address)));
    return withContext(chain, config, accounts);
  },

  getProgramAccounts: (chain, params, allowance) => {
    const config = params.config(1);
    const filters = readFilters(config);
    const owned = chain.accounts.ownedBy(params.address(0));
    const isMatch = (account: StoredAccount) => filters.every((matches) => matches(account.data));
    const keyed = keyedAccounts(owned, isMatch, { config, allowance });
    return config.withContext === true ? withContext(chain, config, keyed) : keyed;
  },

  getTokenAccountBalance: (chain, params) => {
    const account = chain.getAccount(params.address(0));
    const token = readTokenAccount(account);
    if (account === null) throw invalidParam("could not find account");
    if (token === null) throw invalidParam("not a Token account");
    const { decimals } = mintAt(chain, addressBytes(token.mint));
    return withContext(chain, params.config(1), uiTokenAmount(token.amount, decimals));
  },

  getTokenSupply: (chain, params) => {
    const { supply, decimals } = mintAt(chain, params.address(0));
    return withContext(chain, params.config(1), uiTokenAmount(supply, decimals));
  },

  getTokenLargestAccounts: (chain, params, allowance) => {
    const address = params.address(0);
    const program = chain.getAccount(address)?.owner ?? new Uint8Array();
    const { decimals } = mintAt(chain, address);
    const holders = [];
    for (const { address: holder, account } of allowance.scan(chain.accounts.ownedBy(program))) {
      // A token account begins with its mint, so other accounts are skipped without parsing.
      const isOfMint = sameBytes(account.data.subarray(0, address.length), address);
      const token = isOfMint ? readTokenAccount(account) : null;
      if (token === null) continue;
      holders.push({ address: base58.encode(holder), amount: token.amount });
    }
    const largest = holders
      .toSorted((one, other) => (one.amount < other.amount ? 1 : -1))
      .slice(0, MAX_LARGEST_ACCOUNTS)
      .map(({ address, amount }) => ({ address, ...uiTokenAmount(amount, decimals) }));
    return withContext(chain, params.config(1), largest);
  },

  getTokenAccountsByOwner: (chain, params, allowance) => {
    const held = chain.accounts.tokenAccountsOf(params.address(0));
    const isMatch = scopeOf(chain, params.config(1));
    const config = params.config(2);
    return withContext(chain, config, keyedAccounts(held, isMatch, { config, allowance }));
  },
};

/** Encodes the matching accounts with their addresses (agave `RpcKeyedAccount`). */
function keyedAccounts(
  accounts: Iterable<AccountChange>,
  isMatch: (account: StoredAccount) => boolean,
  { config, allowance }: { readonly config: CallConfig; readonly allowance: Allowance },
): { readonly pubkey: string; readonly account: unknown }[] {
  const encode = accountEncoder(config, allowance);
  const found = [];
  for (const { address, account } of allowance.scan(accounts)) {
    if (isMatch(account)) found.push({ pubkey: base58.encode(address), account: encode(account) });
  }
  return found;
}

/** Encodes accounts as base64, cut by `dataSlice` (agave `UiAccount`), and counts their bytes. */
export function accountEncoder(
  config: CallConfig,
  allowance: Allowance,
): (account: StoredAccount | null) => Record<string, unknown> | null {
  if (config.encoding !== "base64") throw notOffered("base64");
  const slice = config.dataSlice as { offset?: unknown; length?: unknown } | null | undefined;
  const start = slice ? asInteger(slice.offset) : 0;
  const end = slice ? start + asInteger(slice.length) : undefined;
  return (account) => {
    allowance.countAccount(account);
    if (account === null) return null;
    const { data, owner, executable, lamports } = account;
    return {
      data: [Buffer.from(data.subarray(start, end)).toString("base64"), "base64"],
      executable,
      lamports,
      owner: base58.encode(owner),
      rentEpoch: RENT_EXEMPT_EPOCH,
      space: data.length,
    };
  };
}

/** The most filters of a call (agave `MAX_GET_PROGRAM_ACCOUNT_FILTERS`). */
const MAX_FILTERS = 4;

/** The most bytes that a filter compares (agave `MAX_DATA_SIZE`). */
const MAX_MEMCMP_BYTES = 128;

type AccountFilter = (data: Uint8Array) => boolean;

function readFilters({ filters }: CallConfig): AccountFilter[] {
  if (filters === undefined || filters === null) return [];
  if (!Array.isArray(filters)) throw invalidParams("filters must be an array");
  if (filters.length > MAX_FILTERS) throw invalidParams(`at most ${MAX_FILTERS} filters`);
  return filters.map(readFilter);
}

function readFilter(filter: unknown): AccountFilter {
  const { dataSize, memcmp } = Object(filter) as CallConfig;
  if (dataSize !== undefined) {
    const size = asInteger(dataSize);
    return (data) => data.length === size;
  }
  if (typeof memcmp !== "object" || memcmp === null) throw invalidParams("unknown filter");
  const { offset, bytes, encoding } = memcmp as CallConfig;
  const start = asInteger(offset);
  const sought = decodeBytes(bytes, encoding);
  if (sought === undefined) throw invalidParams("invalid memcmp bytes");
  if (sought.length > MAX_MEMCMP_BYTES) throw invalidParam("DataTooLarge");
  return (data) => sameBytes(data.subarray(start, start + sought.length), sought);
}

function decodeBytes(bytes: unknown, encoding: unknown): Uint8Array | undefined {
  if (typeof bytes !== "string" || bytes.length > 2 * MAX_MEMCMP_BYTES) return undefined;
  return encoding === "base64" ? Buffer.from(bytes, "base64") : bs58.decodeUnsafe(bytes);
}

function scopeOf(
  chain: LocalChain,
  { mint, programId }: CallConfig,
): (account: StoredAccount) => boolean {
  if (typeof mint === "string") {
    const address = parseAddress(mint);
    const program = chain.getAccount(address)?.owner;
    if (program === undefined) throw invalidParam("could not find mint");
    if (!isTokenProgram(program)) throw invalidParam("not a Token mint");
    return (account) => {
      const token = readTokenAccount(account);
      return token?.mint === mint && sameBytes(account.owner, program);
    };
  }
  if (typeof programId !== "string") throw invalidParams("expected mint or programId");
  const program = parseAddress(programId);
  if (!isTokenProgram(program)) throw invalidParam("unrecognized Token program id");
  return (account) => readTokenAccount(account) !== null && sameBytes(account.owner, program);
}

function mintAt(chain: LocalChain, address: Uint8Array) {
  const account = chain.getAccount(address);
  if (account === null) throw invalidParam("could not find account");
  const mint = readMint(account);
  if (mint === null) throw invalidParam("not a Token mint");
  return mint;
}
