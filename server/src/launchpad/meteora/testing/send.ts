import {
  type Connection,
  type Keypair,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js";
import { signedBytes } from "../../../base/native-keys.ts";

/** How long a transaction may take to be confirmed, in milliseconds. */
const PATIENCE_MS = 60_000;
const POLL_MS = 50;

/**
 * Signs and sends a transaction, and waits until it is confirmed. Uses no WebSocket.
 *
 * @param signers the first pays
 * @returns the signature of the confirmed transaction
 * @throws {Error} the chain refuses it, or does not confirm it within a minute
 */
export async function send(
  connection: Connection,
  instructions: readonly TransactionInstruction[],
  signers: readonly [Keypair, ...Keypair[]],
): Promise<string> {
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash("confirmed");
  const transaction = new Transaction({
    feePayer: signers[0].publicKey,
    blockhash,
    lastValidBlockHeight,
  }).add(...instructions);
  const signature = await connection.sendRawTransaction(signedBytes(transaction, signers), {
    preflightCommitment: "confirmed",
  });
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0];
    if (status?.err) throw new Error(`${signature} failed: ${JSON.stringify(status.err)}`);
    if (status?.confirmationStatus && status.confirmationStatus !== "processed") return signature;
    await Bun.sleep(POLL_MS);
  }
  throw new Error(`${signature} was not confirmed in ${PATIENCE_MS} ms`);
}
