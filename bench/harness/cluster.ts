import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadPrograms, programsFolder } from "../../server/src/localnet/programs.ts";
import type { ClusterReport } from "../cluster/main.ts";
import type { Contestant } from "./contestant.ts";
import { benchFolder, dataFolder } from "./paths.ts";

/** A cluster that runs in a process of its own. */
export interface RunningCluster extends ClusterReport, AsyncDisposable {
  /** @returns how many requests it got since the last call */
  callsSince(): Promise<number>;
}

/** @returns why no cluster can run here, or null */
export async function whyNoCluster(): Promise<string | null> {
  const { missing } = loadPrograms(programsFolder(process.env));
  if (missing.length === 0) return null;
  return "Meteora's programs are not on this machine; get them with `tokend localnet pull`";
}

/**
 * Starts a cluster whose RPC takes 50 ms to answer and 400 ms to confirm.
 *
 * @param tokens how many migrated tokens its agent has, at least 1
 */
export async function startCluster(tokens: number): Promise<RunningCluster> {
  const child = Bun.spawn(
    [process.execPath, join(benchFolder, "cluster", "main.ts"), String(tokens)],
    { stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  );
  const report = JSON.parse(await firstLine(child.stdout)) as ClusterReport;
  return {
    ...report,
    async callsSince() {
      const counted = (await (await fetch(report.url)).json()) as Record<string, number>;
      return Object.values(counted).reduce((sum, count) => sum + count, 0);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** @returns the contestant with the settings of a cluster */
export function onCluster(contestant: Contestant, cluster: ClusterReport): Contestant {
  mkdirSync(dataFolder, { recursive: true });
  const keypair = join(dataFolder, `launch-wallet-${new URL(cluster.url).port}.json`);
  writeFileSync(keypair, JSON.stringify(cluster.launchWallet), { mode: 0o600 });
  return {
    ...contestant,
    env: {
      ...contestant.env,
      CHAIN: "solana",
      RPC_URL: cluster.url,
      LAUNCH_KEYPAIR: keypair,
      DBC_CONFIG: cluster.config,
      PUBLIC_URL: "https://tokens.example",
      MAX_DAILY_SPEND_SOL: "unlimited",
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error("the cluster did not start");
}
