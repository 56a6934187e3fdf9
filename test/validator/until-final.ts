import type { Connection } from "@solana/web3.js";

const POLL_MS = 50;

/** Waits until a transaction is final on a node. */
export async function untilFinal(connection: Connection, signature: string): Promise<void> {
  for (;;) {
    const { value } = await connection.getSignatureStatuses([signature]);
    if (value[0]?.confirmationStatus === "finalized") return;
    await Bun.sleep(POLL_MS);
  }
}
