import { PublicKey, type SendTransactionError, SystemProgram } from "@solana/web3.js";
import type { Journal, SignedTransaction } from "../../domain/journal.ts";
import { findOutcome, type TransactionOutcome } from "../../solana/outcome.ts";
import { describeError, readSendRefusal } from "../../solana/transaction-error.ts";
import {
  ChainUnavailableError,
  ClaimBuildError,
  ClaimExpiredError,
  ClaimRefusedError,
  CreatorChangedError,
  ReceiverRefusedError,
} from "../errors.ts";
import type { HandOverOrder, SignedHandOver, UnsignedHandOver } from "../launchpad.ts";
import { composeOwn } from "./build-claim.ts";
import { readClaimFunds } from "./claim-funds.ts";
import { withProgramErrors, withRpcErrors } from "./cluster.ts";
import type { ChainContext } from "./context.ts";
import { readFinished, storeAndSend } from "./transaction.ts";

export async function buildHandOver(
  chain: ChainContext,
  { agent, token, to, force }: HandOverOrder,
): Promise<UnsignedHandOver> {
  if (!force) await refuseUnlessWallet(chain, new PublicKey(to));
  const payer = new PublicKey(agent);
  const instructions = await withProgramErrors(() =>
    chain.program.handOver(agent, token, to),
  ).catch((error) => {
    if (error instanceof ChainUnavailableError || error instanceof CreatorChangedError) throw error;
    throw new ClaimBuildError("The hand-over cannot be built from what is on chain", error);
  });
  const { created } = await readClaimFunds(chain, { payer, instructions });
  const rent = created.reduce((sum, account) => sum + account.rent, 0n);
  const unsigned = await composeOwn(
    chain,
    { payer, instructions },
    {
      name: "hand-over",
      // Unlike a claim's, the rent of the receiver's account does not come back.
      holds: ({ reserve }) => rent + reserve,
      words: {
        takes: "a hand-over takes <SOL> SOL, with what a wallet must keep",
        again: "hand the token over again",
      },
    },
  );
  return { ...unsigned, rent };
}

async function refuseUnlessWallet({ connection }: ChainContext, to: PublicKey): Promise<void> {
  if (!PublicKey.isOnCurve(to)) {
    throw new ReceiverRefusedError(`No keypair can sign for ${to}: it is an address of a program`);
  }
  const account = await withRpcErrors(() => connection.getAccountInfo(to, "confirmed"));
  if (account?.executable) throw new ReceiverRefusedError(`${to} is a program`);
  const isWallet = account?.owner.equals(SystemProgram.programId) && account.data.length === 0;
  if (account && !isWallet) {
    throw new ReceiverRefusedError(`${to} is an account of the program ${account.owner}`);
  }
}

export async function submitHandOver(
  chain: ChainContext,
  signed: SignedHandOver,
  { journal, signal }: { readonly journal: Journal; readonly signal: AbortSignal },
): Promise<Pick<SignedTransaction, "signature">> {
  const { signature, transaction, lastValidBlockHeight } = signed;
  const bytes = { signature, transaction, lastValidBlockHeight };
  const purpose = "handOver";
  const onRefused = (error: SendTransactionError) => decideRefusal(chain, signed, error);
  const sent = await storeAndSend(chain, bytes, { purpose, journal, signal, onRefused });
  const finished = await readFinished(chain, sent, { purpose, signal });
  if (finished.kind === "expired") {
    throw new ClaimExpiredError("The hand-over expired before it landed");
  }
  if (finished.kind === "failed") {
    const { error } = finished;
    throw await refusedBy(chain, signed, { reason: describeError(error), cause: error });
  }
  return { signature: sent.sent.signature };
}

/**
 * What a node's refusal means of a hand-over that the service has not sent before: its outcome, if
 * its agent has sent it, or null if the refusal proves nothing. @throws {ClaimRefusedError}
 * otherwise
 */
async function decideRefusal(
  chain: ChainContext,
  signed: SignedHandOver,
  error: SendTransactionError,
): Promise<TransactionOutcome | null> {
  const known = await withRpcErrors(() => findOutcome(chain.connection, signed));
  if (known) return known;
  const { kind, reason } = readSendRefusal(error);
  if (kind === "payer") {
    throw new ClaimRefusedError("The wallet cannot pay for the hand-over: send SOL to it", error);
  }
  if (kind === "program" || kind === "signature") {
    throw await refusedBy(chain, signed, { reason, cause: error });
  }
  return null;
}

async function refusedBy(
  { program }: ChainContext,
  { agent, token }: SignedHandOver,
  { reason, cause }: { readonly reason: string; readonly cause: unknown },
): Promise<ClaimRefusedError> {
  // If this request fails, the hand-over is refused for another reason.
  const [fees] = await program.readFees(agent, [token]).catch(() => []);
  if (fees && !("unreadable" in fees) && fees.creatorChanged) {
    return new CreatorChangedError(fees.creatorChanged, cause);
  }
  return new ClaimRefusedError(`The chain refused the hand-over (${reason})`, cause);
}
