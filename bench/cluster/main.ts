/**
 * A cluster as slow as a distant one: the embedded chain with Meteora's programs, behind JSON-RPC that
 * takes 50 ms to answer and 400 ms to confirm. It is a process of its own, so that its work does not
 * count as the service's. It prints one line of JSON once it is ready. `GET /calls` returns how often
 * each method was called since the last such request.
 *
 * Arguments: how many tokens its agent has.
 */
import { Keypair } from "@solana/web3.js";
import { systemClock } from "../../server/src/base/clock.ts";
import { writeMeteoraGenesis } from "../../server/src/launchpad/meteora/genesis.ts";
import { openLaunchpad, SOL } from "../../server/src/launchpad/meteora/testing/launchpad.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import { loadPrograms, programsFolder } from "../../server/src/localnet/programs.ts";
import { createRpcHandler } from "../../server/src/localnet/rpc/handler.ts";
import { localConnection } from "../../server/src/localnet/testing/local-chain.ts";
import { delayed } from "./delays.ts";
import { migratedTokens } from "./migrated-tokens.ts";

/** What the benchmark needs to know about the cluster. */
export interface ClusterReport {
  readonly url: string;
  readonly config: string;
  readonly launchWallet: readonly number[];
  readonly agent: string;
  readonly tokens: readonly { readonly tokenMint: string; readonly poolAddress: string }[];
}

const { programs } = loadPrograms(programsFolder(process.env));
const chain = LocalChain.open({ ledgerPath: ":memory:", clock: systemClock, programs });
await writeMeteoraGenesis(chain);
const calls = new Map<string, number>();
const launchpad = await openLaunchpad({
  chain,
  connection: localConnection(chain),
  calls,
  wallet(lamports) {
    const keypair = Keypair.generate();
    chain.airdrop(keypair.publicKey, lamports);
    return keypair;
  },
});
chain.airdrop(launchpad.launchWallet.publicKey, 100_000n * SOL);
const { agent, tokens } = await migratedTokens(launchpad, Number(process.argv[2]));

const handle = delayed(createRpcHandler(chain), calls, { answerMs: 50, confirmMs: 400 });
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    if (request.method !== "GET") return handle(request);
    const counted = Object.fromEntries(calls);
    calls.clear();
    return Response.json(counted);
  },
});
const report: ClusterReport = {
  url: server.url.origin,
  config: launchpad.config.toBase58(),
  launchWallet: [...launchpad.launchWallet.secretKey],
  agent: agent.toBase58(),
  tokens,
};
console.log(JSON.stringify(report));
