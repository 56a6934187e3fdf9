import { createTransferInstruction } from "@solana/spl-token";
import {
  type AccountInfo,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { splitByShares } from "@tokenctl/shared/shares";
import type { PaidReceiver, Receiver } from "../../domain/signing.ts";
import { readAccounts } from "../../solana/connection.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import type { ChainContext } from "../chain/context.ts";
import { NotAWalletError } from "../errors.ts";
import { wrappedSolAccount } from "../pool-program.ts";

export interface PayoutOrder {
  readonly agent: PublicKey;
  readonly receivers: readonly Receiver[];
}

export async function planPayout(
  { connection }: ChainContext,
  order: PayoutOrder,
  taken: bigint,
): Promise<ReceiverPayout> {
  const to = order.receivers.map(({ address }) => new PublicKey(address));
  // Only the presence of data matters.
  const dataSlice = { offset: 0, length: 1 };
  const accounts = await withRpcErrors(() => readAccounts(connection, to, { dataSlice }));
  for (const [index, account] of accounts.entries()) {
    // The claim itself creates and closes the account for wrapped SOL.
    const isOwn = to[index]?.equals(wrappedSolAccount(order.agent));
    if (!isOwn && (!account || isWallet(account))) continue;
    throw new NotAWalletError(`receivers/${index}/address`);
  }
  return payOut(order, taken);
}

/** Whether an account is a wallet: the System program's, without data, which a nonce account has. */
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

export function payOut({ agent, receivers }: PayoutOrder, lamports: bigint): ReceiverPayout {
  const parts = splitByShares(
    lamports,
    receivers.map(({ share }) => share),
  );
  const paid = receivers.map(({ address }, index) => ({ address, lamports: parts[index] ?? 0n }));
  const account = wrappedSolAccount(agent);
  return {
    proof: createTransferInstruction(account, account, agent, lamports),
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
