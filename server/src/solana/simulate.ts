import {
  type Connection,
  type PublicKey,
  type TransactionError,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";

export interface Simulation {
  readonly slot: number;
  /** Null where the transaction would land. */
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  /** Compute units that it took. */
  readonly units: number;
  /** The fee payer's lamports afterwards, with the network fee taken; 0 where it would fail. */
  readonly payerLamports: bigint;
  /** A blockhash to sign with, as fresh as the state it ran on. */
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

/** Any 32 bytes: the node puts its latest blockhash in. */
const PLACEHOLDER_BLOCKHASH = "11111111111111111111111111111111";

/** Where a node tells no units: enough for a launch, and within a block's reach. */
const UNKNOWN_UNITS = 400_000;

/**
 * Tries instructions on the chain's latest state. Needs no signature: nothing that could land
 * exists afterwards, so a refusal is free of consequences.
 *
 * @param minContextSlot refuses to run on an older state than this
 */
export async function simulate(
  connection: Connection,
  payer: PublicKey,
  instructions: readonly TransactionInstruction[],
  minContextSlot?: number,
): Promise<Simulation> {
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: PLACEHOLDER_BLOCKHASH,
    instructions: [...instructions],
  }).compileToLegacyMessage();
  const { context, value } = await connection.simulateTransaction(
    new VersionedTransaction(message),
    {
      sigVerify: false,
      replaceRecentBlockhash: true,
      commitment: "confirmed",
      accounts: { encoding: "base64", addresses: [payer.toBase58()] },
      ...(minContextSlot === undefined ? {} : { minContextSlot }),
    },
  );
  if (minContextSlot !== undefined && context.slot < minContextSlot) {
    throw new Error("the node simulated on an older state than was asked for");
  }
  if (value.err === null && !value.accounts) throw new Error("the node told no accounts");
  return {
    slot: context.slot,
    error: value.err,
    logs: value.logs ?? [],
    units: value.unitsConsumed ?? UNKNOWN_UNITS,
    payerLamports: BigInt(value.accounts?.[0]?.lamports ?? 0),
    ...(replacement(value) ?? (await connection.getLatestBlockhash("confirmed"))),
  };
}

/** Nodes hand out the blockhash that they put in (`replacementBlockhash`); web3.js does not type it. */
function replacement(value: object): { blockhash: string; lastValidBlockHeight: number } | null {
  if (!("replacementBlockhash" in value)) return null;
  const given = value.replacementBlockhash;
  if (typeof given !== "object" || given === null) return null;
  if (!("blockhash" in given) || !("lastValidBlockHeight" in given)) return null;
  const { blockhash, lastValidBlockHeight } = given;
  if (typeof blockhash !== "string" || typeof lastValidBlockHeight !== "number") return null;
  return { blockhash, lastValidBlockHeight };
}
