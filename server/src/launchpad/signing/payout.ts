import { createTransferInstruction, TOKEN_PROGRAM_ID, TokenInstruction } from "@solana/spl-token";
import {
  PublicKey,
  SYSVAR_RENT_PUBKEY,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { splitByShares } from "@tokenctl/shared/shares";
import type { PaidReceiver, Receiver } from "../../domain/signing.ts";
import { readRentPerByte, rentExemption } from "../../solana/cluster-pace.ts";
import { readAccountsAt } from "../../solana/connection.ts";
import type { ProgramRefusal } from "../../solana/transaction-error.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import type { ChainContext } from "../chain/context.ts";
import { ChainUnavailableError, NotAWalletError, ReceiverRentError } from "../errors.ts";
import { wrappedSolAccount } from "../pool-program.ts";
import { closesAccount } from "./funds.ts";

/** The rent sysvar has 17 bytes; for all other accounts, only the presence of data matters. */
const DATA_SLICE = { offset: 0, length: 17 };

export interface PayoutOrder {
  readonly agent: PublicKey;
  readonly receivers: readonly Receiver[];
}

/** What the wallets of a payout hold and must hold, in lamports. */
export interface PayoutFunds {
  readonly minimum: bigint;
  readonly held: readonly bigint[];
  /** What the agent's wallet and account for wrapped SOL together lack to that minimum. */
  readonly agentLacks: bigint;
}

export async function readPayoutFunds(
  { connection }: Pick<ChainContext, "connection">,
  { agent, receivers }: PayoutOrder,
): Promise<PayoutFunds> {
  const own = [agent, wrappedSolAccount(agent)];
  const keys = [SYSVAR_RENT_PUBKEY, ...own, ...receivers.map((it) => new PublicKey(it.address))];
  const dataSlice = DATA_SLICE;
  const read = await withRpcErrors(() => readAccountsAt(connection, keys, { dataSlice }));
  const [rent, ...accounts] = read.accounts;
  if (!rent) throw new ChainUnavailableError("The Solana RPC returned no rent");
  const minimum = rentExemption(readRentPerByte(rent.data), 0);
  const wallets = accounts.slice(own.length);
  for (const [index, account] of wallets.entries()) {
    // The claim itself creates and closes that account.
    if (keys[1 + own.length + index]?.equals(wrappedSolAccount(agent))) {
      throw new NotAWalletError(index);
    }
    if (!account) continue;
    const isWallet = account.owner.equals(SystemProgram.programId) && account.data.length === 0;
    if (!isWallet || account.executable) throw new NotAWalletError(index);
  }
  const lamportsOf = (account: (typeof accounts)[number]) => BigInt(account?.lamports ?? 0);
  const ofAgent = accounts.slice(0, own.length).reduce((sum, it) => sum + lamportsOf(it), 0n);
  return {
    minimum,
    held: wallets.map((account) => lamportsOf(account ?? null)),
    agentLacks: ofAgent < minimum ? minimum - ofAgent : 0n,
  };
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

/** SPL Token's refusal to transfer more than an account holds. */
const INSUFFICIENT_FUNDS = 1;

/**
 * Whether a claim with receivers was refused because it now takes less than when it was built, or
 * the agent's account for wrapped SOL was created or closed (an error without a program's code).
 */
export function isPayoutOutdated(
  refusal: ProgramRefusal | null,
  instructions: readonly TransactionInstruction[],
): boolean {
  const proof = instructions.find(isProof);
  const refused = refusal && instructions[refusal.index];
  if (!proof || !refused) return false;
  if (refused === proof) return refusal.code === INSUFFICIENT_FUNDS;
  const [own] = proof.keys;
  const [closed, made] = refused.keys;
  const account = closesAccount(refused) ? closed : made;
  return refusal.code === null && own !== undefined && account?.pubkey.equals(own.pubkey) === true;
}

function isProof({ programId, keys: [from, to], data }: TransactionInstruction): boolean {
  const isTransfer = programId.equals(TOKEN_PROGRAM_ID) && data[0] === TokenInstruction.Transfer;
  return isTransfer && to !== undefined && from?.pubkey.equals(to.pubkey) === true;
}

export function requireRent(
  { paid }: ReceiverPayout,
  { agent }: PayoutOrder,
  { minimum, held }: PayoutFunds,
): void {
  for (const [index, { address, lamports }] of paid.entries()) {
    const holds = (held[index] ?? 0n) + BigInt(lamports);
    if (holds >= minimum || address === agent.toBase58()) continue;
    throw new ReceiverRentError(address, BigInt(lamports), minimum);
  }
}
