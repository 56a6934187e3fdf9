import {
  type PublicKey,
  SystemInstruction,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedMessage,
} from "@solana/web3.js";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import type { SignedBytes } from "../../domain/journal.ts";
import type { HandedOut } from "../../domain/signing.ts";
import { type Budget, nameOf } from "../../solana/message.ts";
import { readTip } from "../../solana/outcome.ts";
import { feeOf } from "../../solana/simulate.ts";
import { classifyError } from "../../solana/transaction-error.ts";
import { signWith } from "../../solana/wallet-signer.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import { type ChainContext, hasWallet, type PayingContext } from "../chain/context.ts";
import { BuildError, ExpiredError } from "../errors.ts";
import { type ClaimOrder, draftClaim, planPayout, type UnsignedClaim } from "./claim.ts";
import { busy, compileDraft, draftUnits, readFee, simulateDraft } from "./compose.ts";
import { closesAccount, readFunds } from "./funds.ts";

/**
 * Builds a claim whose network fee and rents the launch wallet pays, because the agent cannot. With
 * the last instruction, the agent repays everything that does not return to the launch wallet.
 * @returns null if the fees do not cover the repayment, or the launch wallet cannot pay
 */
export async function buildSponsoredClaim(
  chain: PayingContext,
  order: ClaimOrder,
): Promise<UnsignedClaim | null> {
  const { agent } = order;
  const sponsor = chain.wallet.publicKey;
  if (agent.equals(sponsor)) return null;
  const draft = await draftClaim(chain, { ...order, sponsor });
  if (draft === null) return null;
  const payout = await planPayout(chain, order);
  const { rent, mayRiseBy } = await readAdvance(chain, agent, draft.instructions());
  const signed = { kind: "claim", version: order.version, signers: [sponsor, agent] } as const;
  const repaying = (lamports: bigint) => {
    const repaid = { fromPubkey: agent, toPubkey: sponsor, lamports: rent + lamports };
    const paid = payout?.(draft.lamports, lamports);
    const instructions = [...draft.instructions(paid), SystemProgram.transfer(repaid)];
    return { instructions, receivers: paid?.paid ?? [] };
  };
  /** @returns null if the agent cannot repay this much */
  const simulateRepaying = async (lamports: bigint, budget?: Budget) => {
    const parts = { ...signed, ...repaying(lamports), ...(budget && { budget }) };
    const simulation = await simulateDraft(chain, parts);
    const { error, logs } = simulation;
    if (error !== null && classifyError(error, logs) === "later") throw busy("claim", error);
    return error === null ? simulation : null;
  };
  try {
    // The repayment depends on the compute units that this simulation used.
    const first = await simulateRepaying(0n);
    if (first === null) return null;
    const { lamports, budget } = (await readFee(chain, first)).of(draftUnits(first));
    const simulation = await simulateRepaying(lamports, budget);
    // The repayment is fixed now, and the rent may rise until the claim lands.
    if (simulation === null || chain.guard.isUnderFloor(simulation.payerLamports - mayRiseBy)) {
      return null;
    }
    const fee = await withRpcErrors(() => feeOf(chain.connection, simulation));
    const { instructions, receivers } = repaying(fee);
    const claim = await compileDraft(chain, simulation, { ...signed, instructions, budget });
    return { ...claim, tokens: draft.tokens, repaidLamports: rent + fee, receivers };
  } catch (fault) {
    if (fault instanceof BuildError) return null;
    throw fault;
  }
}

/**
 * Reads the rent that the launch wallet advances for accounts that a claim creates and closes, and
 * by how much it grows if the rent rises to the usual rate, in lamports.
 */
async function readAdvance(
  chain: PayingContext,
  agent: PublicKey,
  instructions: readonly TransactionInstruction[],
) {
  const payer = chain.wallet.publicKey;
  const { created } = await readFunds(chain, { kind: "claim", payer, instructions });
  const closed = instructions.filter(closesAccount);
  const repaid = created.filter(({ address }) =>
    closed.some(
      ({ keys: [account, destination] }) =>
        account?.pubkey.equals(address) && destination?.pubkey.equals(agent),
    ),
  );
  const rent = repaid.reduce((sum, account) => sum + account.rent, 0n);
  const highest = repaid.reduce((sum, account) => sum + account.highestRent, 0n);
  return { rent, mayRiseBy: highest - rent };
}

export async function cosignClaim(
  chain: ChainContext,
  { transaction, lastValidBlockHeight }: Pick<HandedOut, "transaction" | "lastValidBlockHeight">,
): Promise<SignedBytes> {
  const { message } = splitTransaction(transaction);
  const read = VersionedMessage.deserialize(message);
  const [feePayer, agent] = read.staticAccountKeys;
  if (!hasWallet(chain) || !feePayer?.equals(chain.wallet.publicKey) || !agent) {
    throw new ExpiredError("claim", "The launch wallet has changed since the claim was built");
  }
  const { connection, wallet } = chain;
  const { instructions } = TransactionMessage.decompile(read);
  const tip = await withRpcErrors(() => readTip(connection));
  if (tip.blockHeight > lastValidBlockHeight) throw new ExpiredError("claim");
  const [fee, { rent }] = await Promise.all([
    withRpcErrors(() => feeOf(connection, { fee: null, message })),
    readAdvance(chain, agent, instructions),
  ]);
  if (repaidBy(instructions) !== rent + fee) {
    const text = "What its sponsor pays has changed since the claim was built";
    throw new ExpiredError("claim", text);
  }
  const signed = await withRpcErrors(() => signWith(wallet, transaction, { purpose: "claim" }));
  return { transaction: signed, signature: nameOf(signed) };
}

function repaidBy(instructions: readonly TransactionInstruction[]): bigint | null {
  const repayment = instructions.at(-1);
  if (!repayment?.programId.equals(SystemProgram.programId)) return null;
  return BigInt(SystemInstruction.decodeTransfer(repayment).lamports);
}
