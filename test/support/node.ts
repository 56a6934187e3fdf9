import type { Connection, PublicKey } from "@solana/web3.js";
import { systemClock } from "../../server/src/base/clock.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import type { ProgramBinary } from "../../server/src/localnet/programs.ts";
import { rawRequest } from "../../server/src/solana/connection.ts";
import { FaultyRpc } from "../../server/src/solana/testing/faulty-rpc.ts";

/**
 * Starts a node whose ledger is in memory.
 *
 * @param programs loaded before those of the ledger. Default: none
 */
export function startTestNode(programs: readonly ProgramBinary[] = []) {
  const chain = LocalChain.open({ ledgerPath: ":memory:", clock: systemClock, programs });
  const rpc = FaultyRpc.of(chain);
  return {
    chain,
    rpc,
    url: rpc.url,
    genesisHash: chain.genesisHash(),
    async [Symbol.asyncDispose]() {
      await rpc[Symbol.asyncDispose]();
      chain.close();
    },
  };
}

/** Gives a wallet SOL, and returns once the chain has confirmed that. */
export async function airdrop(
  connection: Connection,
  wallet: PublicKey,
  lamports: number,
): Promise<void> {
  // By a blockhash that the airdrop before did not have, or an equal one would be the same transaction.
  const params = [wallet.toBase58(), lamports, { commitment: "confirmed" }];
  const signature = await rawRequest(connection, "requestAirdrop", params);
  await untilStatus(connection, String(signature), ["confirmed", "finalized"]);
}

const POLL_MS = 50;

/** Polls a node until a transaction has one of these states. */
export async function untilStatus(
  connection: Connection,
  signature: string,
  states: readonly ("confirmed" | "finalized")[],
): Promise<void> {
  for (;;) {
    const { value } = await connection.getSignatureStatuses([signature]);
    if (states.some((state) => state === value[0]?.confirmationStatus)) return;
    await Bun.sleep(POLL_MS);
  }
}
