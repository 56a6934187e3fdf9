import type { PublicKey } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import type { LocalChain } from "../../localnet/chain.ts";
import { SandboxError } from "../sandbox.ts";
import { type PoolAccounts, poolAccounts } from "./accounts.ts";
import type { Reserves } from "./curve.ts";
import { decodeTokenAccount } from "./token-accounts.ts";

/** A pool of the embedded chain at its latest slot. */
export interface PoolState {
  readonly accounts: PoolAccounts;
  readonly reserves: Reserves;
  readonly agent: PublicKey;
  readonly isMigrated: boolean;
}

/** @throws {SandboxError} the token is not on this chain */
export function readPoolState(chain: LocalChain, token: TokenRef): PoolState {
  const accounts = poolAccounts(token);
  const read = (address: PublicKey) => decodeTokenAccount(chain.getAccount(address));
  const base = read(accounts.baseVault);
  const quote = read(accounts.quoteVault);
  const fees = read(accounts.curveFeeVault);
  if (!base || !quote || !fees) {
    throw new SandboxError("unknown_token", "The token is not on this chain");
  }
  return {
    accounts,
    reserves: { lamports: quote.amount, tokens: base.amount },
    agent: fees.delegate,
    isMigrated: read(accounts.liquidityFeeVault) !== null,
  };
}

/** The vault that receives the agent's fees now. */
export function feeVaultOf({ accounts, isMigrated }: PoolState): PublicKey {
  return isMigrated ? accounts.liquidityFeeVault : accounts.curveFeeVault;
}
