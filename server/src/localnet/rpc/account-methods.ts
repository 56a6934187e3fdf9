import { PublicKey } from "@solana/web3.js";
import type { AccountChange, StoredAccount } from "../account.ts";
import { base58 } from "../base58.ts";
import type { LocalChain } from "../chain.ts";
import { accountEncodingOf, encodeAccount } from "./account-encoding.ts";
import { matches, readFilters } from "./account-filter.ts";
import { type Methods, withContext } from "./method.ts";
import { type Config, parseAddress } from "./params.ts";
import { RPC_CODES, RpcError } from "./rpc-error.ts";

/** The most accounts `getMultipleAccounts` reads at once (agave `MAX_MULTIPLE_ACCOUNTS`). */
const MAX_MULTIPLE_ACCOUNTS = 100;

/** Methods that read accounts, whatever program owns them. */
export const accountMethods: Methods = {
  getBalance: (chain, params) =>
    withContext(chain, params.config(1), chain.getBalance(new PublicKey(params.address(0)))),

  getAccountInfo: (chain, params) => {
    const config = params.config(1);
    return withContext(chain, config, readAccount(chain, params.address(0), config, "binary"));
  },

  getMultipleAccounts: (chain, params) => {
    const addresses = params.strings(0);
    if (addresses.length > MAX_MULTIPLE_ACCOUNTS) {
      throw new RpcError(
        RPC_CODES.invalidParams,
        `Too many inputs provided; max ${MAX_MULTIPLE_ACCOUNTS}`,
      );
    }
    const config = params.config(1);
    const accounts = addresses
      .map(parseAddress)
      .map((address) => readAccount(chain, address, config, "base64"));
    return withContext(chain, config, accounts);
  },

  getProgramAccounts: (chain, params) => {
    const config = params.config(1);
    const filters = readFilters(config);
    const owned = [...chain.accountsOwnedBy(new PublicKey(params.address(0)))];
    const found = owned.filter(({ account }) => matches(account, filters));
    const keyed = keyedAccounts(chain, found, config);
    return config.withContext === true ? withContext(chain, config, keyed) : keyed;
  },
};

/** Accounts with their addresses, as lists of accounts are written. */
export function keyedAccounts(
  chain: LocalChain,
  accounts: readonly AccountChange[],
  config: Config,
): { readonly pubkey: string; readonly account: Record<string, unknown> }[] {
  const encoding = accountEncodingOf(config);
  return accounts.map(({ address, account }) => ({
    pubkey: base58.encode(address),
    account: encodeAccount(account, encoding, mintReader(chain)),
  }));
}

export function mintReader(chain: LocalChain): (mint: Uint8Array) => StoredAccount | null {
  return (mint) => chain.getAccount(new PublicKey(mint));
}

function readAccount(
  chain: LocalChain,
  address: Uint8Array,
  config: Config,
  fallback: "binary" | "base64",
): Record<string, unknown> | null {
  const encoding = accountEncodingOf(config, fallback);
  const account = chain.getAccount(new PublicKey(address));
  return account === null ? null : encodeAccount(account, encoding, mintReader(chain));
}
