import { createTransferInstruction } from "@solana/spl-token";
import {
  type AccountInfo,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { splitByShares } from "@tokenctl/shared/shares";
import type { PaidReceiver, Receiver } from "../../domain/signing.ts";
import { rentExemption } from "../../solana/cluster-pace.ts";
import type { ChainContext } from "../chain/context.ts";
import { readWithRent } from "../chain/launch-state.ts";
import { NotAWalletError, ReceiverRentError } from "../errors.ts";
import { wrappedSolAccount } from "../pool-program.ts";

/** The rent sysvar has 17 bytes; for all other accounts, only the presence of data matters. */
const DATA_SLICE = { offset: 0, length: 17 };

export interface PayoutOrder {
  readonly agent: PublicKey;
  readonly receivers: readonly Receiver[];
}

/**
 * Plans who gets what of the lamports that a claim takes.
 * @throws {NotAWalletError} {@link ReceiverRentError} if too little is left for a receiver
 */
export async function planPayout(
  chain: ChainContext,
  order: PayoutOrder,
  taken: bigint,
): Promise<ReceiverPayout> {
  const { agent, receivers } = order;
  const to = receivers.map(({ address }) => new PublicKey(address));
  const read = await readWithRent(chain, to, { dataSlice: DATA_SLICE });
  const minimum = rentExemption(read.rentPerByte, 0);
  const payout = payOut(order, taken);
  for (const [index, { address, lamports }] of payout.paid.entries()) {
    const account = read.accounts[index];
    // The claim itself creates and closes the account for wrapped SOL.
    const isOwn = to[index]?.equals(wrappedSolAccount(agent));
    if (isOwn || (account && !isWallet(account))) throw new NotAWalletError(index);
    if (BigInt(account?.lamports ?? 0) + BigInt(lamports) >= minimum) continue;
    if (address !== agent.toBase58()) {
      throw new ReceiverRentError(address, BigInt(lamports), minimum);
    }
  }
  return payout;
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
