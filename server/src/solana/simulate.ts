import type { Connection, PublicKey, TransactionError } from "@solana/web3.js";
import { BLOCKHASH_VALID_BLOCKS } from "../domain/cluster-pace.ts";
import type { BlockPace } from "./cluster-pace.ts";
import { COMMITMENT, rawRequest } from "./connection.ts";
import {
  allInstructions,
  compileMessage,
  MAX_UNITS,
  type MessageParts,
  unsignedTransaction,
} from "./message.ts";
import { readTip } from "./outcome.ts";
import { RpcError } from "./rpc-answer.ts";

interface SimulationResult {
  readonly slot: number;
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly units: number;
}

export interface Simulation extends SimulationResult {
  /** The fee payer's lamports after the transaction and its fee. */
  readonly payerLamports: bigint;
  /** Lamports that the transaction takes from the fee payer, its fee included. */
  readonly costLamports: bigint;
  /** A blockhash to sign with, as recent as the simulated state. */
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  /** The network fee in lamports; null if the node reports none, or did not run the message. */
  readonly fee: bigint | null;
  /** The simulated message, with that blockhash. */
  readonly message: Uint8Array;
  /** All instructions that were simulated: an error's index refers to this list. */
  readonly instructions: MessageParts["instructions"];
}

/** By default legacy, with the maximum of compute units and no price. */
type SimulatedOrder = Pick<MessageParts, "payer" | "instructions"> &
  Partial<Pick<MessageParts, "version" | "budget">> & {
    readonly minContextSlot?: number | undefined;
    readonly pace?: Pick<BlockPace, "height"> | undefined;
  };

/**
 * Simulates on the latest state. Nothing is signed, so nothing can land.
 * @throws {RpcError} the node simulated before `minContextSlot`, or reports no balances
 * @throws {RangeError} the transaction is too long
 */
export async function simulate(
  connection: Connection,
  { minContextSlot, pace, ...order }: SimulatedOrder,
): Promise<Simulation> {
  const parts = { version: "legacy", budget: { units: MAX_UNITS, price: 0n }, ...order } as const;
  const compile = (blockhash: string) => compileMessage({ ...parts, blockhash });
  const draft = unsignedTransaction(compile("1".repeat(32)));
  const asked = { sigVerify: false, replaceRecentBlockhash: true, minContextSlot };
  const { replacement, balances, ...result } = await ask(connection, draft, asked);
  if ((result.error === null && balances === null) || replacement === null) {
    throw new RpcError("garbage", METHOD, "the answer has no balances or blockhash");
  }
  await checkEnd(connection, replacement.lastValidBlockHeight, pace?.height);
  const { before, after } = balances ?? { before: 0, after: 0 };
  return {
    ...result,
    payerLamports: BigInt(after),
    costLamports: BigInt(Math.max(0, before - after)),
    ...replacement,
    message: compile(replacement.blockhash),
    instructions: allInstructions(parts),
  };
}

/** A transaction whose end is far away would be undecided until then, if it never lands. */
async function checkEnd(connection: Connection, end: number, height = 0) {
  // Twice the true number, because the height may be inexact, or of a node that is behind.
  const isNear = (known: number) => end - known <= 2 * BLOCKHASH_VALID_BLOCKS;
  if (isNear(height) || isNear((await readTip(connection)).blockHeight)) return;
  throw new RpcError("garbage", METHOD, "its blockhash ends too late");
}

/** Reads a message's network fee, in lamports. @throws {RpcError} the blockhash is unknown */
export async function feeOf(
  connection: Connection,
  { fee = null, message }: { readonly fee?: bigint | null; readonly message: Uint8Array },
): Promise<bigint> {
  if (fee !== null) return fee;
  const text = Buffer.from(message).toString("base64");
  const params = [text, { commitment: COMMITMENT }];
  const answer = await rawRequest(connection, "getFeeForMessage", params);
  const { value } = Object(answer) as { value?: unknown };
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  throw new RpcError("behind", "getFeeForMessage", "it does not know the blockhash");
}

/**
 * Simulates a transaction that others made. `data` has the addresses' account data afterwards: null
 * if there is none, or if it would fail. If the node refuses the bytes, returns the refusal as
 * the simulation's error, with slot 0. @throws {RpcError} any other failure
 */
export async function simulateSigned(
  connection: Connection,
  bytes: Uint8Array,
  {
    addresses = [],
    ...config
  }: {
    readonly addresses?: readonly PublicKey[];
    readonly minContextSlot?: number | undefined;
    /** Whether signatures must be valid. Default: false. */
    readonly sigVerify?: boolean;
  } = {},
): Promise<SimulationResult & { readonly data: readonly (Buffer | null)[] }> {
  try {
    const accounts = { encoding: "base64", addresses: addresses.map(String) };
    const answer = await ask(connection, bytes, { ...config, accounts });
    const data = addresses.map((_, index) => {
      const [text] = [Object(answer.accounts?.[index]).data].flat();
      return typeof text === "string" ? Buffer.from(text, "base64") : null;
    });
    return { ...answer, data };
  } catch (error) {
    if (!(error instanceof RpcError && error.kind === "refused")) throw error;
    return { slot: 0, error: error.detail, logs: [], units: 0, data: addresses.map(() => null) };
  }
}

const METHOD = "simulateTransaction";

type Replacement = Pick<Simulation, "blockhash" | "lastValidBlockHeight">;

async function ask(
  connection: Connection,
  bytes: Uint8Array,
  config: { readonly minContextSlot?: number | undefined } & Readonly<Record<string, unknown>>,
) {
  const answer = await rawRequest(connection, METHOD, [
    Buffer.from(bytes).toString("base64"),
    { encoding: "base64", commitment: COMMITMENT, ...config },
  ]);
  const { context, value } = answer as {
    context: { slot: number };
    value: Record<string, unknown>;
  };
  const { err = null, logs, unitsConsumed, accounts, replacementBlockhash, fee } = value;
  const [before, after] = [value.preBalances, value.postBalances].map((all) => Object(all)[0]);
  if (config.minContextSlot !== undefined && context.slot < config.minContextSlot) {
    throw new RpcError("behind", METHOD, "it simulated on an older state than was asked for");
  }
  return {
    slot: context.slot,
    error: err as TransactionError | null,
    logs: Array.isArray(logs) ? logs.map(String) : [],
    units: typeof unitsConsumed === "number" ? unitsConsumed : MAX_UNITS,
    accounts: Array.isArray(accounts) ? (accounts as readonly unknown[]) : null,
    /** What the fee payer has. */
    balances: Number.isSafeInteger(before - after) ? { before, after } : null,
    replacement: (replacementBlockhash ?? null) as Replacement | null,
    fee: Number.isSafeInteger(fee) ? BigInt(fee as number) : null,
  };
}
