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
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly units: number;
  /** The fee payer's lamports afterwards, after the network fee; 0 if it would fail. */
  readonly payerLamports: bigint;
  /** A blockhash to sign with, as recent as the simulated state. */
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
}

interface SimulatedOrder {
  readonly payer: PublicKey;
  readonly instructions: readonly TransactionInstruction[];
  readonly minContextSlot?: number | undefined;
}

/** Any 32 bytes: the node replaces them by its latest blockhash. */
const PLACEHOLDER_BLOCKHASH = "11111111111111111111111111111111";

/** For nodes that return no units: enough for a launch, and little compared with a block's limit. */
const UNKNOWN_UNITS = 400_000;

/**
 * Simulates on the latest state; nothing is signed, so nothing can land. @throws {Error} the node
 * simulated before `minContextSlot`, or returned no accounts
 */
export async function simulate(
  connection: Connection,
  { payer, instructions, minContextSlot }: SimulatedOrder,
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
  if (value.err === null && !value.accounts) throw new Error("the node returned no accounts");
  return {
    slot: context.slot,
    error: value.err,
    logs: value.logs ?? [],
    units: value.unitsConsumed ?? UNKNOWN_UNITS,
    payerLamports: BigInt(value.accounts?.[0]?.lamports ?? 0),
    ...(replacement(value) ?? (await connection.getLatestBlockhash("confirmed"))),
  };
}

/** The blockhash that the node put in (`replacementBlockhash`); web3.js has no type for it. */
function replacement(value: object): { blockhash: string; lastValidBlockHeight: number } | null {
  const { replacementBlockhash: given } = value as Record<string, unknown>;
  const { blockhash, lastValidBlockHeight } = Object(given) as Record<string, unknown>;
  if (typeof blockhash !== "string" || typeof lastValidBlockHeight !== "number") return null;
  return { blockhash, lastValidBlockHeight };
}
