import { createTransferInstruction, TOKEN_PROGRAM_ID, TokenInstruction } from "@solana/spl-token";
import {
  type AccountInfo,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { splitByShares } from "@tokenctl/shared/shares";
import type { PaidReceiver, Receiver } from "../../domain/signing.ts";
import { rentExemption } from "../../solana/cluster-pace.ts";
import type { ProgramRefusal } from "../../solana/transaction-error.ts";
import type { ChainContext } from "../chain/context.ts";
import { readWithRent } from "../chain/launch-state.ts";
import { BuildError, NotAWalletError, ReceiverRentError } from "../errors.ts";
import { wrappedSolAccount } from "../pool-program.ts";
import { closesAccount } from "./funds.ts";

/** The rent sysvar has 17 bytes; for all other accounts, only the presence of data matters. */
const DATA_SLICE = { offset: 0, length: 17 };

export interface PayoutOrder {
  readonly agent: PublicKey;
  readonly receivers: readonly Receiver[];
}

/** @returns a function for the payout @throws {NotAWalletError} */
export async function planPayout(chain: ChainContext, order: PayoutOrder) {
  const { agent, receivers } = order;
  const wrapped = wrappedSolAccount(agent);
  const to = receivers.map(({ address }) => new PublicKey(address));
  const read = await readWithRent(chain, [agent, wrapped, ...to], { dataSlice: DATA_SLICE });
  const minimum = rentExemption(read.rentPerByte, 0);
  const [wallet, wrappedSol, ...accounts] = read.accounts;
  for (const [index, account] of accounts.entries()) {
    // The claim itself creates and closes the account for wrapped SOL.
    const isOwn = to[index]?.equals(wrapped);
    if (isOwn || (account && !isWallet(account))) throw new NotAWalletError(index);
  }
  const lamportsOf = (account?: AccountInfo<Buffer> | null) => BigInt(account?.lamports ?? 0);
  const ofAgent = lamportsOf(wallet) + lamportsOf(wrappedSol);
  const agentLacks = ofAgent < minimum ? minimum - ofAgent : 0n;
  /**
   * @param repaidFee the fee of a sponsored claim. The lamports also pay what the agent's wallet
   * lacks to its minimum, so that fees that arrive before the claim lands can stay in it
   * @throws {ReceiverRentError} if too little is left for a receiver
   * @throws {BuildError} if nothing is left
   */
  return (taken: bigint, repaidFee?: bigint): ReceiverPayout => {
    const left = repaidFee === undefined ? taken : taken - repaidFee - agentLacks;
    if (left <= 0n) throw new BuildError("claim", "The fees only cover what the claim repays");
    const payout = payOut(order, left, repaidFee);
    for (const [index, { address, lamports }] of payout.paid.entries()) {
      const holds = lamportsOf(accounts[index]) + BigInt(lamports);
      if (holds >= minimum || address === agent.toBase58()) continue;
      throw new ReceiverRentError(address, BigInt(lamports), minimum);
    }
    return payout;
  };
}

/** Whether an account is a wallet; accounts of programs, nonces included, are none. */
export function isWallet({ owner, data }: AccountInfo<Buffer>): boolean {
  return owner.equals(SystemProgram.programId) && data.length === 0;
}

export interface ReceiverPayout {
  /**
   * Runs before the SOL is unwrapped: transfers it from the agent's account for wrapped SOL to the
   * same account. The token program refuses that unless the account holds as much, so `transfers`
   * can never take more than the claim paid.
   */
  readonly proof: TransactionInstruction;
  /** Run after the SOL is unwrapped. The agent's own share stays in its wallet. */
  readonly transfers: readonly TransactionInstruction[];
  readonly paid: readonly PaidReceiver[];
}

/** @param kept further lamports of the claim, which repay the sponsor's network fee */
export function payOut(
  { agent, receivers }: PayoutOrder,
  lamports: bigint,
  kept = 0n,
): ReceiverPayout {
  const parts = splitByShares(
    lamports,
    receivers.map(({ share }) => share),
  );
  const paid = receivers.map(({ address }, index) => ({ address, lamports: parts[index] ?? 0n }));
  const account = wrappedSolAccount(agent);
  return {
    proof: createTransferInstruction(account, account, agent, lamports + kept),
    transfers: paid
      .filter(({ address }) => address !== agent.toBase58())
      .map((to) =>
        SystemProgram.transfer({
          fromPubkey: agent,
          toPubkey: new PublicKey(to.address),
          lamports: to.lamports,
        }),
      ),
    paid: paid.map((to) => ({ ...to, lamports: to.lamports.toString() })),
  };
}

/** SPL Token's refusals to transfer more than an account holds, and to close one that holds tokens. */
const INSUFFICIENT_FUNDS = 1;
const NON_NATIVE_HAS_BALANCE = 11;

/**
 * Returns why a refused claim no longer fits the chain's state, or null: the token account that it
 * creates and closes was created and filled, it takes less than it pays its receivers, or the
 * agent's account for wrapped SOL was created or closed (an error without a program's code).
 */
export function whyOutdated(
  refusal: ProgramRefusal | null,
  instructions: readonly TransactionInstruction[],
): string | null {
  const refused = refusal && instructions[refusal.index];
  if (!refused) return null;
  if (closesAccount(refused) && refusal.code === NON_NATIVE_HAS_BALANCE) {
    return "The agent's account for the token was made and filled after the claim was built";
  }
  const proof = instructions.find(isProof);
  const own = proof?.keys[0]?.pubkey;
  const [closed, made] = refused.keys;
  const account = closesAccount(refused) ? closed : made;
  const isOfOwn = own !== undefined && account?.pubkey.equals(own);
  const isOutdated =
    refused === proof ? refusal.code === INSUFFICIENT_FUNDS : refusal.code === null && isOfOwn;
  return isOutdated ? "What the claim pays its receivers has changed since it was built" : null;
}

function isProof({ programId, keys: [from, to], data }: TransactionInstruction): boolean {
  const isTransfer = programId.equals(TOKEN_PROGRAM_ID) && data[0] === TokenInstruction.Transfer;
  return isTransfer && to !== undefined && from?.pubkey.equals(to.pubkey) === true;
}
