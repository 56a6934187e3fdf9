import type { Connection, Keypair, TransactionInstruction } from "@solana/web3.js";
import type { TransactionVersion } from "@tokenctl/shared/words";
import {
  compileAs,
  compileMessage,
  MAX_UNITS,
  signWithKeys,
  unsignedTransaction,
} from "../../../solana/message.ts";

/** How long a transaction may take to be confirmed, in milliseconds. */
const PATIENCE_MS = 60_000;
const POLL_MS = 50;

/**
 * Signs and sends a transaction, and waits until it is confirmed. Uses no WebSocket.
 *
 * @param signers the first pays
 * @param version one of version 1 may use all units
 * @returns the signature of the confirmed transaction
 * @throws {Error} the chain refuses it, or does not confirm it within a minute
 */
export async function send(
  connection: Connection,
  instructions: readonly TransactionInstruction[],
  signers: readonly [Keypair, ...Keypair[]],
  version: TransactionVersion = "legacy",
): Promise<string> {
  const { blockhash } = await connection.getLatestBlockhash("confirmed");
  const parts = { payer: signers[0].publicKey, blockhash };
  const message =
    version === 1
      ? compileMessage({ ...parts, version, instructions, budget: { units: MAX_UNITS, price: 0n } })
      : compileAs(null, parts, instructions);
  const bytes = signWithKeys(unsignedTransaction(message), signers);
  const signature = await connection.sendRawTransaction(bytes, {
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
