import { PublicKey } from "@solana/web3.js";
import { type AccountChange, sameBytes } from "../account.ts";
import { base58 } from "../base58.ts";
import type { LocalChain } from "../chain.ts";
import { isTokenProgram, readMint, readTokenAccount } from "../token-layout.ts";
import { uiTokenAmount } from "../transaction-meta.ts";
import { keyedAccounts } from "./account-methods.ts";
import { type Methods, withContext } from "./method.ts";
import { type Params, parseAddress } from "./params.ts";
import { invalidParam, invalidParams } from "./rpc-error.ts";

/** How many accounts `getTokenLargestAccounts` lists. */
const LARGEST_ACCOUNTS = 20;

/** Methods about SPL Token and Token-2022. */
export const tokenMethods: Methods = {
  getTokenAccountBalance: (chain, params) => {
    const account = chain.getAccount(new PublicKey(params.address(0)));
    const token = account === null ? null : readTokenAccount(account);
    if (account === null) throw invalidParam("could not find account");
    if (token === null) throw invalidParam("not a Token account");
    const { decimals } = mintAt(chain, token.mint);
    return withContext(chain, params.config(1), uiTokenAmount(token.amount, decimals));
  },

  getTokenSupply: (chain, params) => {
    const mint = mintAt(chain, params.address(0));
    return withContext(chain, params.config(1), uiTokenAmount(mint.supply, mint.decimals));
  },

  getTokenLargestAccounts: (chain, params) => {
    const mint = params.address(0);
    const { decimals } = mintAt(chain, mint);
    const largest = [...chain.tokenAccountsOfMint(new PublicKey(mint))]
      .flatMap(({ address, account }) => {
        const token = readTokenAccount(account);
        return token === null ? [] : [{ address: base58.encode(address), amount: token.amount }];
      })
      .toSorted((one, other) => (one.amount < other.amount ? 1 : -1))
      .slice(0, LARGEST_ACCOUNTS)
      .map(({ address, amount }) => ({ address, ...uiTokenAmount(amount, decimals) }));
    return withContext(chain, params.config(1), largest);
  },

  getTokenAccountsByOwner: (chain, params) => {
    const wallet = new PublicKey(params.address(0));
    return tokenAccounts(chain, params, chain.tokenAccountsOf(wallet));
  },

  getTokenAccountsByDelegate: (chain, params) => {
    const delegate = params.address(0);
    const { mint, programId } = scopeOf(chain, params);
    const candidates =
      mint === null
        ? chain.accountsOwnedBy(new PublicKey(programId))
        : chain.tokenAccountsOfMint(new PublicKey(mint));
    const delegated = [...candidates].filter(({ account }) => {
      const token = readTokenAccount(account);
      return token?.delegate != null && sameBytes(token.delegate, delegate);
    });
    return tokenAccounts(chain, params, delegated);
  },
};

interface Scope {
  readonly mint: Uint8Array | null;
  readonly programId: Uint8Array;
}

/** Answers with those of the candidates that lie in the scope that the second parameter names. */
function tokenAccounts(
  chain: LocalChain,
  params: Params,
  candidates: Iterable<AccountChange>,
): unknown {
  const { mint, programId } = scopeOf(chain, params);
  const config = params.config(2);
  const found = [...candidates].filter(({ account }) => {
    const token = readTokenAccount(account);
    if (token === null || !sameBytes(account.owner, programId)) return false;
    return mint === null || sameBytes(token.mint, mint);
  });
  return withContext(chain, config, keyedAccounts(chain, found, config));
}

function scopeOf(chain: LocalChain, params: Params): Scope {
  const { mint, programId } = params.config(1);
  if (typeof mint === "string") {
    const address = parseAddress(mint);
    const owner = chain.getAccount(new PublicKey(address))?.owner;
    if (owner === undefined) throw invalidParam("could not find mint");
    if (!isTokenProgram(owner)) throw invalidParam("not a Token mint");
    return { mint: address, programId: owner };
  }
  if (typeof programId !== "string") throw invalidParams("expected mint or programId");
  const program = parseAddress(programId);
  if (!isTokenProgram(program)) throw invalidParam("unrecognized Token program id");
  return { mint: null, programId: program };
}

function mintAt(chain: LocalChain, address: Uint8Array): { supply: bigint; decimals: number } {
  const account = chain.getAccount(new PublicKey(address));
  const mint = account === null ? null : readMint(account);
  if (account === null) throw invalidParam("could not find account");
  if (mint === null) throw invalidParam("not a Token mint");
  return mint;
}
