import type { StoredAccount } from "../account.ts";
import { sameBytes } from "../bytes.ts";
import type { LocalChain } from "../chain.ts";
import { isTokenProgram, type Mint, readMint, readTokenAccount } from "../token-layout.ts";
import { uiTokenAmount } from "../transaction-meta.ts";
import { keyedAccounts } from "./account-methods.ts";
import type { Allowance } from "./allowance.ts";
import { type Config, type Methods, parseAddress, withContext } from "./method.ts";
import { invalidParam, invalidParams } from "./rpc-error.ts";

export const tokenMethods: Methods = {
  getTokenAccountBalance: (chain, params, allowance) => {
    const account = readAccount(chain, params.address(0), allowance);
    if (account === null) throw invalidParam("could not find account");
    const token = readTokenAccount(account);
    if (token === null) throw invalidParam("not a Token account");
    const { decimals } = mintAt(chain, token.mint, allowance);
    return withContext(chain, params.config(1), uiTokenAmount(token.amount, decimals));
  },

  getTokenSupply: (chain, params, allowance) => {
    const { supply, decimals } = mintAt(chain, params.address(0), allowance);
    return withContext(chain, params.config(1), uiTokenAmount(supply, decimals));
  },

  getTokenAccountsByOwner: (chain, params, allowance) => {
    const held = chain.accounts.tokenAccountsOf(params.address(0));
    const isMatch = scopeOf(chain, params.config(1), allowance);
    const config = params.config(2);
    return withContext(chain, config, keyedAccounts(held, isMatch, { config, allowance }));
  },
};

/** Reads the mint or token program of the second parameter. */
function scopeOf(
  chain: LocalChain,
  { mint, programId }: Config,
  allowance: Allowance,
): (account: StoredAccount) => boolean {
  if (typeof mint === "string") {
    const address = parseAddress(mint);
    const program = readAccount(chain, address, allowance)?.owner;
    if (program === undefined) throw invalidParam("could not find mint");
    if (!isTokenProgram(program)) throw invalidParam("not a Token mint");
    return (account) => {
      const token = readTokenAccount(account);
      return token !== null && sameBytes(account.owner, program) && sameBytes(token.mint, address);
    };
  }
  if (typeof programId !== "string") throw invalidParams("expected mint or programId");
  const program = parseAddress(programId);
  if (!isTokenProgram(program)) throw invalidParam("unrecognized Token program id");
  return (account) => readTokenAccount(account) !== null && sameBytes(account.owner, program);
}

function mintAt(chain: LocalChain, address: Uint8Array, allowance: Allowance): Mint {
  const account = readAccount(chain, address, allowance);
  if (account === null) throw invalidParam("could not find account");
  const mint = readMint(account);
  if (mint === null) throw invalidParam("not a Token mint");
  return mint;
}

function readAccount(
  chain: LocalChain,
  address: Uint8Array,
  allowance: Allowance,
): StoredAccount | null {
  const account = chain.getAccount(address);
  allowance.countAccount(account);
  return account;
}
