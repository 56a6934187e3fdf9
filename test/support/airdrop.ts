import type { Connection, PublicKey } from "@solana/web3.js";

const POLL_MS = 50;

/** Gives a wallet SOL, and returns once the chain has confirmed that. */
export async function airdrop(
  connection: Connection,
  wallet: PublicKey,
  lamports: number,
): Promise<void> {
  // By a blockhash that the airdrop before did not have, or an equal one would be the same transaction.
  const params = [wallet.toBase58(), lamports, { commitment: "confirmed" }];
  const answer = await fetch(connection.rpcEndpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "requestAirdrop", params }),
  });
  const { result: signature } = (await answer.json()) as { result: string };
  for (;;) {
    const { value } = await connection.getSignatureStatuses([signature]);
    const status = value[0]?.confirmationStatus;
    if (status === "confirmed" || status === "finalized") return;
    await Bun.sleep(POLL_MS);
  }
}
