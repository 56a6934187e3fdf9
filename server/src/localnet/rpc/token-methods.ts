import { PublicKey } from "@solana/web3.js";
import type { StoredAccount } from "../account.ts";
import { sameBytes } from "../bytes.ts";
import type { LocalChain } from "../chain.ts";
import { isTokenProgram, readMint, readTokenAccount } from "../token-layout.ts";
import { uiTokenAmount } from "../transaction-meta.ts";
import { keyedAccounts } from "./account-methods.ts";
import type { Allowance } from "./allowance.ts";
import { type Methods, type Params, parseAddress, withContext } from "./method.ts";
import { invalidParam, invalidParams } from "./rpc-error.ts";

/** Methods about SPL Token and Token-2022. */
export const tokenMethods: Methods = {
  getTokenAccountBalance: (chain, params, allowance) => {
    const account = allowance.read(chain.getAccount(new PublicKey(params.address(0))));
    const token = readTokenAccount(account);
    if (account === null) throw invalidParam("could not find account");
    if (token === null) throw invalidParam("not a Token account");
    const { decimals } = mintAt(chain, token.mint, allowance);
    return withContext(chain, params.config(1), uiTokenAmount(token.amount, decimals));
  },

  getTokenSupply: (chain, params, allowance) => {
    const mint = mintAt(chain, params.address(0), allowance);
    return withContext(chain, params.config(1), uiTokenAmount(mint.supply, mint.decimals));
  },

  getTokenAccountsByOwner: (chain, params, allowance) => {
    const held = chain.tokenAccountsOf(new PublicKey(params.address(0)));
    const scope = scopeOf(chain, params, allowance);
    const config = params.config(2);
    const isMatch = (account: StoredAccount) => isIn(scope, account);
    return withContext(chain, config, keyedAccounts(chain, held, isMatch, config, allowance));
  },
};

interface Scope {
  readonly mint: Uint8Array | null;
  readonly programId: Uint8Array;
}

function isIn({ mint, programId }: Scope, account: StoredAccount): boolean {
  const token = readTokenAccount(account);
  if (token === null || !sameBytes(account.owner, programId)) return false;
  return mint === null || sameBytes(token.mint, mint);
}

/** Reads the mint or token program of the second parameter. */
function scopeOf(chain: LocalChain, params: Params, allowance: Allowance): Scope {
  const { mint, programId } = params.config(1);
  if (typeof mint === "string") {
    const address = parseAddress(mint);
    const owner = allowance.read(chain.getAccount(new PublicKey(address)))?.owner;
    if (owner === undefined) throw invalidParam("could not find mint");
    if (!isTokenProgram(owner)) throw invalidParam("not a Token mint");
    return { mint: address, programId: owner };
  }
  if (typeof programId !== "string") throw invalidParams("expected mint or programId");
  const program = parseAddress(programId);
  if (!isTokenProgram(program)) throw invalidParam("unrecognized Token program id");
  return { mint: null, programId: program };
}

function mintAt(
  chain: LocalChain,
  address: Uint8Array,
  allowance: Allowance,
): { supply: bigint; decimals: number } {
  const account = allowance.read(chain.getAccount(new PublicKey(address)));
  const mint = readMint(account);
  if (account === null) throw invalidParam("could not find account");
  if (mint === null) throw invalidParam("not a Token mint");
  return mint;
}
