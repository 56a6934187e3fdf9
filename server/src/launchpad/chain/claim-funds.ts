import { ACCOUNT_SIZE, ASSOCIATED_TOKEN_PROGRAM_ID } from "@solana/spl-token";
import {
  type AccountInfo,
  type PublicKey,
  SYSVAR_RENT_PUBKEY,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { ChainUnavailableError } from "../errors.ts";
import type { ChainContext } from "./context.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/** Whether a wallet can pay for a claim, whose fees come in only after it has paid; in lamports. */
export interface ClaimFunds {
  readonly balance: bigint;
  /**
   * What the wallet must hold beside the network fee: the rent of the token accounts that the claim
   * makes, or what keeps the wallet itself rent-exempt, if that is more.
   */
  readonly deposit: bigint;
}

/**
 * Reads what a claim takes from its wallet, in one request.
 *
 * @param instructions the claim's
 * @param minContextSlot an answer from an older state than this is refused
 * @throws {ChainUnavailableError}
 */
export async function readClaimFunds(
  { connection }: ChainContext,
  payer: PublicKey,
  instructions: readonly TransactionInstruction[],
  minContextSlot?: number,
): Promise<ClaimFunds> {
  const keys = [payer, SYSVAR_RENT_PUBKEY, ...accountsMade(instructions)];
  const { context, value } = await withRpcErrors(() =>
    connection.getMultipleAccountsInfoAndContext(keys, {
      commitment: "confirmed",
      ...(minContextSlot === undefined ? {} : { minContextSlot }),
    }),
  );
  if (context.slot < (minContextSlot ?? 0)) {
    throw new ChainUnavailableError("The Solana RPC node is behind its cluster");
  }
  const [wallet, rent, ...tokenAccounts] = value;
  if (!rent || value.length !== keys.length) {
    throw new ChainUnavailableError("The Solana RPC does not tell what rent is");
  }
  const ofTokenAccount = rentExemption(rent.data, ACCOUNT_SIZE);
  const ofWallet = rentExemption(rent.data, 0);
  let deposit = 0n;
  for (const account of tokenAccounts) deposit += missingRent(account, ofTokenAccount);
  return {
    balance: BigInt(wallet?.lamports ?? 0),
    deposit: deposit > ofWallet ? deposit : ofWallet,
  };
}

/** The associated token accounts that instructions make where they are missing. */
function accountsMade(instructions: readonly TransactionInstruction[]): PublicKey[] {
  return instructions
    .filter(({ programId }) => programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID))
    .flatMap(({ keys: [_payer, account] }) => account?.pubkey ?? []);
}

/** Anyone can send lamports to an address where no account is yet; the rent needs so much less. */
function missingRent(account: AccountInfo<Buffer> | null, rent: bigint): bigint {
  if (!account) return rent;
  if (!account.owner.equals(SystemProgram.programId)) return 0n;
  const missing = rent - BigInt(account.lamports);
  return missing > 0n ? missing : 0n;
}

/** What an account's own description counts as, in bytes (`ACCOUNT_STORAGE_OVERHEAD` of agave). */
const OVERHEAD_BYTES = 128;

/** @param rent the sysvar: lamports per byte and year (u64), and for how many years (f64) */
function rentExemption(rent: Buffer, bytes: number): bigint {
  const perYear = BigInt(OVERHEAD_BYTES + bytes) * rent.readBigUInt64LE(0);
  return BigInt(Math.trunc(Number(perYear) * rent.readDoubleLE(8)));
}
