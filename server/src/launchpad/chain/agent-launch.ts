import { ACCOUNT_SIZE } from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  Message,
  PublicKey,
  SYSVAR_RENT_PUBKEY,
  type TransactionError,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { isAssertion, LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { verifyEd25519 } from "../../base/ed25519.ts";
import { signTransaction } from "../../base/native-keys.ts";
import { BLOCKHASH_VALID_BLOCKS } from "../../domain/cluster-pace.ts";
import type { LaunchJournal, NewAttempt, SignedTransaction } from "../../domain/journal.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { TokenRef } from "../../domain/token.ts";
import { networkFeeOf, readRentPerByte, rentExemption } from "../../solana/fees.ts";
import { readTip } from "../../solana/outcome.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import {
  AlreadyLaunchedError,
  ChainUnavailableError,
  LaunchRefusedError,
  LaunchUnaffordableError,
  SignatureNeededError,
} from "../errors.ts";
import type { LaunchQuote, UnsignedLaunch } from "../launchpad.ts";
import type { LaunchInstructions } from "../pool-program.ts";
import { claimUnits, readClaimFee, serializeClaim, simulateClaim } from "./claim-message.ts";
import { withProgramErrors, withRpcErrors } from "./cluster.ts";
import type { ChainContext } from "./context.ts";
import { landed, readLaunchState } from "./launch-state.ts";
import { finish, stopped, storeAndSend, toSigned } from "./transaction.ts";

/** Compute units for assertions that the agent's wallet may add. */
const ASSERTION_UNITS = 15_000;

export async function buildAgentLaunch(
  chain: ChainContext,
  order: LaunchOrder,
): Promise<UnsignedLaunch> {
  const agent = new PublicKey(order.wallet);
  const [{ token, launch, feeOf, isDeployed, ...price }, terms] = await Promise.all([
    readPrice(chain, order),
    withProgramErrors(() => chain.program.terms()),
  ]);
  if (isDeployed) throw new AlreadyLaunchedError("Its token is on chain already");
  const { instructions, signers } = launch;
  const ensureFunds = (required: bigint, cause?: unknown) => {
    const { balance } = price;
    if (balance < required)
      throw new LaunchUnaffordableError(order.wallet, { required, balance }, cause);
  };
  // Simulated before it is handed out, so that the agent signs nothing that would fail.
  const simulation = await simulateClaim(chain, agent, instructions);
  const { error, logs } = simulation;
  if (error !== null) {
    const reason = describeError(error);
    const kind = classifyError(error, logs);
    if (kind === "payer") ensureFunds(price.highest, error);
    if (kind !== "program") {
      throw new ChainUnavailableError(`The cluster cannot take the launch now (${reason})`, error);
    }
    throw new LaunchRefusedError(`The chain would refuse the launch (${reason})`, { error, logs });
  }
  const fee = feeOf.of(claimUnits(simulation) + ASSERTION_UNITS);
  ensureFunds(price.lowest + fee.lamports);
  const unsigned = serializeClaim(chain, {
    signers: [agent, ...signers.map(({ publicKey }) => publicKey)],
    simulation,
    instructions: [...fee.instructions, ...instructions],
  });
  const cost = { ...price.cost, networkFee: fee.lamports };
  return { ...unsigned, token, terms, metadataUri: launch.metadataUri, cost };
}

export async function priceAgentLaunch(
  chain: ChainContext,
  order: LaunchOrder,
): Promise<LaunchQuote> {
  const { cost, highest: required, balance } = await readPrice(chain, order);
  return { cost, required, balance };
}

/** Reads what a launch takes from its agent: `cost` with the highest network fee. */
async function readPrice(chain: ChainContext, order: LaunchOrder) {
  const { program } = chain;
  const token = program.addresses(order.eventId);
  const [launch, state] = await Promise.all([
    withProgramErrors(() => program.launch(order)),
    readLaunchState(chain, [token], { agent: order.wallet }),
  ]);
  const feeOf = await readClaimFee(chain, 1 + launch.signers.length);
  const { rentPerByte, agentLamports: balance } = state;
  const firstBuy = order.firstBuy?.lamports ?? 0n;
  const rent = launch.rentBytes * rentPerByte;
  const networkFee = feeOf.highest;
  const cost = { rent, networkFee, creationFee: launch.creationLamports, firstBuy };
  /** What the wallet must hold beside the network fee, with what it must keep. */
  const lowest = rent + cost.creationFee + firstBuy + rentExemption(rentPerByte, 0);
  // A first buy may also have to pay for an account of wrapped SOL, until it is closed.
  const wrapped = firstBuy > 0n ? rentExemption(rentPerByte, ACCOUNT_SIZE) : 0n;
  const highest = lowest + networkFee + wrapped;
  const isDeployed = state.deployed !== null;
  return { token, launch, feeOf, cost, balance, lowest, highest, isDeployed };
}

export async function acceptAgentLaunch(
  chain: ChainContext,
  order: LaunchOrder,
  bytes: Uint8Array,
): Promise<boolean> {
  const launch = await withProgramErrors(() => chain.program.launch(order));
  const agent = new PublicKey(order.wallet);
  const signed = readLaunch(bytes, agent, launch);
  const signature = signed?.signatures[0];
  if (!signed || !signature) return false;
  return verifyEd25519(signed.message, signature, agent.toBytes());
}

const lighthouse = new PublicKey(LIGHTHOUSE_PROGRAM);
/** Their instructions may stand between those of a launch. */
const OUTER_PROGRAMS = [ComputeBudgetProgram.programId, lighthouse];
/** Tags of `ComputeBudgetInstruction`. */
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

/** Whether an instruction that is not part of the launch only sets the fee, or can only make it fail. */
function isHarmlessIfOuter({ programId, data }: TransactionInstruction): boolean {
  if (programId.equals(lighthouse)) return isAssertion(data);
  if (!programId.equals(ComputeBudgetProgram.programId)) return true;
  return data[0] === SET_UNIT_LIMIT || data[0] === SET_UNIT_PRICE;
}

/** @returns null if it is anything but the launch, in a legacy transaction of the canonical form */
function readLaunch(bytes: Uint8Array, agent: PublicKey, launch: LaunchInstructions) {
  try {
    const { signatures, message: raw } = splitTransaction(bytes);
    const message = Message.from(raw);
    if (!message.serialize().equals(raw)) return null;
    if (message.header.numRequiredSignatures !== signatures.length) return null;
    const [payer, ...others] = message.accountKeys.slice(0, signatures.length);
    const expected = launch.signers.map(({ publicKey }) => publicKey.toBase58());
    if (!payer?.equals(agent) || !isSameSet(others.map(String), expected)) return null;
    const { instructions } = TransactionMessage.decompile(message);
    if (!instructions.every(isHarmlessIfOuter)) return null;
    const own = instructions.filter(
      ({ programId }) => !OUTER_PROGRAMS.some((program) => program.equals(programId)),
    );
    if (own.length !== launch.instructions.length) return null;
    if (!own.every((one, index) => isSame(one, launch.instructions[index]))) return null;
    return { signatures, message: raw };
  } catch {
    return null;
  }
}

function isSame(seen: TransactionInstruction, built: TransactionInstruction | undefined): boolean {
  return (
    built !== undefined &&
    seen.programId.equals(built.programId) &&
    seen.data.equals(built.data) &&
    seen.keys.length === built.keys.length &&
    seen.keys.every(({ pubkey }, place) => built.keys[place]?.pubkey.equals(pubkey))
  );
}

function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return some.toSorted().join() === others.toSorted().join();
}

/** The mint signs last, once nothing that it signed before can land. See `Launchpad.deploy`. */
export async function deployAgentLaunch(
  chain: ChainContext,
  order: LaunchOrder,
  { journal, signal }: { readonly journal: LaunchJournal; readonly signal: AbortSignal },
): Promise<TokenRef> {
  const { program } = chain;
  const { latest } = journal;
  const earlier = latest && (await finish(chain, latest, { purpose: "launch", signal }));
  if (latest && earlier?.kind === "landed") return landed(chain, latest);
  const fresh = program.addresses(order.eventId);
  const find = async (minContextSlot?: number) =>
    (await readLaunchState(chain, latest ? [latest, fresh] : [fresh], { minContextSlot })).deployed;
  if (earlier) {
    const deployed = await find(earlier.slot);
    if (deployed) return landed(chain, deployed);
    if (earlier.kind === "failed") throw failed(latest, earlier.error);
  }
  let attempt: NewAttempt;
  try {
    attempt = { ...fresh, ...(await signForMint(chain, order)) };
  } catch (error) {
    // A database that was restored does not know what was sent since.
    const deployed = await find();
    if (deployed) return landed(chain, deployed);
    throw error;
  }
  if (signal.aborted) throw stopped();
  const sending = { purpose: "launch", journal, signal } as const;
  const { sent, outcome } = await storeAndSend(chain, attempt, sending);
  if (outcome.kind === "landed") return landed(chain, attempt);
  const state = await readLaunchState(chain, [attempt], { minContextSlot: outcome.slot });
  if (state.deployed) return landed(chain, state.deployed);
  if (outcome.kind === "failed") throw failed(sent, outcome.error);
  throw new SignatureNeededError("The launch's transaction expired before it landed");
}

async function signForMint(chain: ChainContext, order: LaunchOrder) {
  const { program } = chain;
  const signed = order.agentSigned;
  if (!signed) throw new SignatureNeededError("The agent has not signed the launch");
  const [terms, launch] = await Promise.all([
    withProgramErrors(() => program.terms()),
    withProgramErrors(() => program.launch(order)),
  ]);
  // Another server, or another config, may have taken it.
  if (readLaunch(signed, new PublicKey(order.wallet), launch) === null) {
    throw new SignatureNeededError("The launch has changed since the agent signed");
  }
  const transaction = VersionedTransaction.deserialize(signed);
  const { lastValidBlockHeight, rentPerByte } = await checkSigned(chain, transaction);
  signTransaction(transaction, launch.signers);
  const rent = launch.rentBytes * rentPerByte;
  const firstBuy = order.firstBuy?.lamports ?? 0n;
  return {
    ...toSigned(transaction, lastValidBlockHeight),
    terms,
    agentLamports: rent + launch.creationLamports + firstBuy + networkFeeOf(signed),
  };
}

/**
 * Simulates what the agent signed, before the mint signs it too: from then on it can land.
 * @returns the block height after which it cannot land, whatever blockhash the agent signed, and
 * the rent
 */
async function checkSigned(chain: ChainContext, transaction: VersionedTransaction) {
  const { context, value } = await withRpcErrors(() =>
    chain.connection.simulateTransaction(transaction, {
      commitment: "confirmed",
      accounts: { encoding: "base64", addresses: [SYSVAR_RENT_PUBKEY.toBase58()] },
    }),
  );
  const { err, logs, accounts } = value;
  if (err === null) {
    const sysvar = Buffer.from(accounts?.[0]?.data[0] ?? "", "base64");
    if (sysvar.length === 0) throw new ChainUnavailableError("The Solana RPC returned no rent");
    const tip = await withRpcErrors(() => readTip(chain.connection));
    // The simulated state knows its blockhash; another node may be behind that state.
    const behind = Math.max(0, context.slot - tip.slot);
    return {
      lastValidBlockHeight: tip.blockHeight + behind + BLOCKHASH_VALID_BLOCKS,
      rentPerByte: readRentPerByte(sysvar),
    };
  }
  if (err === "BlockhashNotFound") {
    throw new SignatureNeededError("The launch's transaction has expired", err);
  }
  const kind = classifyError(err, logs ?? []);
  if (kind === "payer") {
    throw new LaunchRefusedError("The agent's wallet cannot pay for the launch", err);
  }
  // An instruction's error is not the cluster's fault: the agent sets the limit of compute units.
  if (kind === "program" || typeof err !== "string") throw refused(err, { error: err, logs });
  const reason = describeError(err);
  throw new ChainUnavailableError(`The cluster cannot take the launch now (${reason})`, err);
}

function failed({ transaction }: SignedTransaction, error: TransactionError) {
  return refused(error, error, networkFeeOf(transaction));
}

function refused(error: TransactionError, cause: unknown, agentLamports = 0n) {
  const text = `The chain refused the launch (${describeError(error)})`;
  return new LaunchRefusedError(text, cause, agentLamports);
}
