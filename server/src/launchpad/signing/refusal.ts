import {
  PublicKey,
  type TransactionError,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import type { HandedOut } from "../../domain/signing.ts";
import { feeOf } from "../../solana/simulate.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import type { ChainContext } from "../chain/context.ts";
import {
  CreatorChangedError,
  ExpiredError,
  FeesTakenError,
  RefusedError,
  SIGNED_NAMES,
  UnaffordableError,
} from "../errors.ts";
import { busy, contradiction } from "./compose.ts";
import { readFunds } from "./funds.ts";
import { readPrice } from "./paid-launch.ts";

type Opened = ReturnType<typeof open>;

export function open(handedOut: HandedOut) {
  const { transaction } = handedOut;
  const read = VersionedTransaction.deserialize(transaction).message;
  const { instructions } = TransactionMessage.decompile(read);
  const { message } = splitTransaction(transaction);
  return { ...handedOut, message, payer: read.staticAccountKeys[0]?.toBase58(), instructions };
}

interface Failure {
  readonly error: TransactionError;
  readonly logs: readonly string[];
  /** Whether it failed in a block; otherwise it failed in a simulation. */
  readonly isLanded: boolean;
}

export async function explain(
  chain: ChainContext,
  handedOut: HandedOut,
  { error, logs, isLanded }: Failure,
): Promise<Error> {
  const opened = open(handedOut);
  const { kind } = opened;
  const errorClass = classifyError(error, logs);
  // A landed transaction is decided: if it counted as undecided, it would be resent endlessly.
  if (errorClass === "later" && !isLanded) return busy(kind, error);
  const reason = describeError(error, opened.instructions);
  if (errorClass === "payer") {
    const shortage = await readShortage(chain, opened, error);
    if (shortage) return shortage;
    // The wallet may be able to pay: it has got SOL since, or its balance could not be read.
    if (!isLanded) return contradiction(kind, error, opened.instructions);
  }
  if (kind !== "launch") {
    const known = await explainOfToken(chain, opened, error);
    if (known) return known;
  }
  const text = `The chain refused the ${SIGNED_NAMES[kind]} (${reason})`;
  return new RefusedError(kind, text, { error, logs });
}

async function readShortage(chain: ChainContext, opened: Opened, cause: unknown) {
  const { kind, agent, payer, instructions, order } = opened;
  if (payer !== agent) {
    const text = "The fees no longer cover what the claim repays, or its sponsor lacks SOL";
    return new ExpiredError(kind, text, cause);
  }
  const funds = order
    ? readPrice(chain, order)
    : readFunds(chain, { kind, payer: new PublicKey(agent), instructions });
  const read = await Promise.all([funds, feeOf(chain.connection, opened)]).catch(() => null);
  if (read === null) return null;
  const [{ balance, holds }, fee] = read;
  const required = holds + fee;
  return balance >= required
    ? null
    : new UnaffordableError(kind, agent, { required, balance }, cause);
}

async function explainOfToken(chain: ChainContext, opened: Opened, cause: TransactionError) {
  const { kind, agent, tokens } = opened;
  // If this request fails, the caller reports the chain's own reason.
  const fees = await chain.program.readFees(agent, tokens).catch(() => []);
  const read = fees.map((one) => ("unreadable" in one ? null : one));
  const isTaken = (of: (typeof read)[number]) =>
    of?.creatorChanged === undefined &&
    of?.bondingCurve.claimable === 0n &&
    of.liquidityPool.claimable === 0n;
  if (kind === "claim" && read.length > 0 && read.every(isTaken)) {
    return new FeesTakenError("Another claim of this wallet has taken these fees", cause);
  }
  const changed = read.find((one) => one?.creatorChanged)?.creatorChanged;
  return changed ? new CreatorChangedError(changed, cause) : null;
}
