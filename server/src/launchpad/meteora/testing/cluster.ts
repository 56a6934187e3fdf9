import type { Connection, Keypair } from "@solana/web3.js";
import { systemClock } from "../../../base/clock.ts";
import { generateKeypair } from "../../../base/native-keys.ts";
import { type ChainTerms, LocalChain } from "../../../localnet/chain.ts";
import type { ProgramBinary } from "../../../localnet/programs.ts";
import { createRpcHandler } from "../../../localnet/rpc/handler.ts";
import { SLOT_MS } from "../../../localnet/slots.ts";
import { createConnection } from "../../../solana/connection.ts";
import { MovableClock } from "../../../testing/manual-clock.ts";
import { writeMeteoraGenesis } from "../genesis.ts";
import { meteoraBinaries } from "./programs.ts";

/** The embedded chain with the real programs, and a connection that counts its calls. */
export interface MeteoraCluster {
  readonly chain: LocalChain;
  readonly connection: Connection;
  /** How often each RPC method was called; tests may clear it. */
  readonly calls: Map<string, number>;
  /** A new wallet with this many lamports. */
  wallet(lamports: bigint): Keypair;
}

export interface TimedCluster extends MeteoraCluster {
  readonly clock: MovableClock;
  /** Milliseconds of that time from a request to its answer; 0 by default. */
  latencyMs: number;
}

/**
 * Both token standards, and Solana's slots and rent before and after the changes of 2026. A cost is
 * bytes of the standard times the chain's rent, so neither needs to meet the other twice.
 */
export const KINDS = [
  { tokenStandard: "spl", slotMs: 400, rentPerByte: 6_960n },
  { tokenStandard: "token-2022", slotMs: 200, rentPerByte: 696n },
] as const;

/**
 * Starts a cluster in memory. A slot passes with each transaction: within one slot, two equal ones
 * would have the same blockhash and signature.
 */
export async function openCluster(
  options: ChainTerms & { readonly programs?: readonly ProgramBinary[] } = {},
): Promise<TimedCluster> {
  const clock = new MovableClock(systemClock.now());
  const { programs = meteoraBinaries, slotMs = SLOT_MS } = options;
  const chain = LocalChain.open({ ...options, ledgerPath: ":memory:", clock, programs });
  await writeMeteoraGenesis(chain);
  const handle = createRpcHandler(chain);
  const calls = new Map<string, number>();
  // Requests side by side take no longer than one.
  const reach = (time: number) => clock.advance(Math.max(0, time - clock.elapsed()));
  const connection = createConnection("http://localnet.invalid", {
    async fetch(url, init) {
      const askedAt = clock.elapsed();
      const { latencyMs } = cluster;
      await Promise.resolve();
      reach(askedAt + latencyMs / 2);
      const response = await handle(new Request(url, init));
      reach(askedAt + latencyMs);
      return response;
    },
    onRpc: (method) => {
      calls.set(method, (calls.get(method) ?? 0) + 1);
      if (method === "sendTransaction") clock.advance(slotMs);
    },
  });
  const cluster: TimedCluster = {
    chain,
    connection,
    calls,
    clock,
    latencyMs: 0,
    wallet(lamports) {
      const keypair = generateKeypair();
      chain.airdrop(keypair.publicKey, lamports);
      return keypair;
    },
  };
  return cluster;
}
