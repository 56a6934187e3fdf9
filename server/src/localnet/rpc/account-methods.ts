import { PublicKey } from "@solana/web3.js";
import { base58 } from "../../base/base58.ts";
import type { AccountChange, StoredAccount } from "../account.ts";
import type { LocalChain } from "../chain.ts";
import { type AccountEncoding, accountEncodingOf, encodeAccount } from "./account-encoding.ts";
import { matches, readFilters } from "./account-filter.ts";
import type { Allowance } from "./allowance.ts";
import { type Config, type Methods, parseAddress, withContext } from "./method.ts";

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
