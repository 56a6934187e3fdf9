import { PublicKey } from "@solana/web3.js";
import type { Network } from "@tokenctl/shared/types";
import type { Logger } from "pino";
import { SharedRead } from "./base/cache.ts";
import { type Clock, waitAtMost } from "./base/clock.ts";
import {
  type Config,
  dataFiles,
  type LocalChainConfig,
  type SolanaChainConfig,
} from "./config/config.ts";
import { bindDatabase, directoryProblem, ledgerProblem, ownerOf } from "./data/owner.ts";
import { openMintSecret } from "./data/secrets.ts";
import { type LaunchBudget, NO_BUDGET } from "./domain/intake-limits.ts";
import { RpcShares } from "./domain/shares.ts";
import type { PoolTerms } from "./domain/token.ts";
import {
  chainLaunchpad,
  type Launchpad,
  PROBE_TIMEOUT_MS,
} from "./launchpad/chain/chain-launchpad.ts";
import { ClusterIdentity } from "./launchpad/chain/cluster.ts";
import { chainContext } from "./launchpad/chain/context.ts";
import type { PoolKeeper } from "./launchpad/chain/migrate-pool.ts";
import type { CrashPoint } from "./launchpad/crash-point.ts";
import type { Sandbox } from "./launchpad/local/sandbox.ts";
import type { PartnerProgram } from "./launchpad/pool-program.ts";
import { type Signing, signing } from "./launchpad/signing/signing.ts";
import type { AgentFunds } from "./modules/launches/refusals.ts";
import { BlockPace } from "./solana/cluster-pace.ts";
import { type ConnectionOptions, rawRequest } from "./solana/connection.ts";
import { orLocalnet, StalledNode } from "./solana/health.ts";
import { openWallet } from "./solana/open-wallet.ts";
import { openRpc } from "./solana/rpc-failover.ts";
import type { RpcNodes } from "./solana/rpc-nodes.ts";
import { Senders, Tips } from "./solana/senders.ts";
import type { Store } from "./store/store.ts";

/**
 * How long a start waits to learn the RPC's cluster, in milliseconds. Without an answer the server
 * starts, but launches and claims nothing until there is one.
 */
const GENESIS_WAIT_MS = 3_000;

interface OpenChainDeps {
  /** The time of the chain's own parts: this machine's. */
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly onRpc?: ConnectionOptions["onRpc"] | undefined;
  readonly crashPoint?: CrashPoint | undefined;
}

/** What is null for the sandbox exists on real clusters only. */
export interface OpenChain {
  readonly launchpad: Launchpad;
  readonly signing: Signing;
  readonly budget: LaunchBudget;
  readonly agentFunds: AgentFunds | null;
  /** Reads the terms of new launches' pools. @throws if the config cannot be read now */
  terms(): Promise<PoolTerms>;
  readonly rpcShares: RpcShares | null;
  /** The embedded chain's market; null on a real cluster. */
  readonly sandbox: Sandbox | null;
  /** Migrates complete curves; the sandbox's migrate by themselves. */
  readonly keeper: PoolKeeper | null;
  readonly partner: (() => Promise<PartnerProgram>) | null;
  readonly rpcNodes: RpcNodes | null;
  /** Queries the cluster as its clients do. @throws if it gets no result */
  readonly askRpc: ((method: string, params: readonly unknown[]) => Promise<unknown>) | null;
  /** The chain that launches go to; null until it is known. */
  network(): Network | null;
  close(): Promise<void>;
}

/** @throws {Error} if the database belongs to another chain, wallet, secret or config */
export async function openChain(config: Config, deps: OpenChainDeps): Promise<OpenChain> {
  const { chain } = config;
  throwProblem(directoryProblem(config, await deps.store.chainBinding.read()));
  const given = { ...deps, config, secret: openMintSecret(config) };
  return chain.chain === "local" ? openLocal(chain, given) : openSolana(chain, given);
}

function throwProblem(problem: string | null): void {
  if (problem !== null) throw new Error(problem);
}

function agentFunds({ readBalances }: Launchpad, minLamports: bigint): AgentFunds | null {
  return minLamports > 0n ? { minLamports, read: readBalances } : null;
}

interface Given extends OpenChainDeps {
  readonly config: Config;
  readonly secret: Uint8Array;
}

async function openLocal(
  { feeBps, graduationLamports, terms }: LocalChainConfig,
  { config, store, log, ...given }: Given,
): Promise<OpenChain> {
  // A server on a real cluster does not load the embedded chain.
  const { loadEmbeddedChain } = await import("./localnet/load.ts");
  const { LocalChain } = await loadEmbeddedChain();
  const { deriveKeypair } = await import("./launchpad/local/accounts.ts");
  const { localLaunchpad } = await import("./launchpad/local/local-launchpad.ts");
  const { localLedger } = dataFiles(config.dataDir);
  const launchWallet = deriveKeypair(given.secret, "wallet").publicKey.toBase58();
  const binding = { store: store.chainBinding, log };
  await bindDatabase(binding, config, ownerOf(config, launchWallet, given.secret));
  await using opened = new AsyncDisposableStack();
  const chain = LocalChain.open({ ...terms, ledgerPath: localLedger, clock: given.clock });
  opened.defer(() => chain.close());
  const genesis = chain.genesisHash();
  const bound = await store.chainBinding.bindGenesis(genesis);
  if (bound !== genesis) throwProblem(ledgerProblem(config.dataDir));
  const { minAgentLamports } = config.limits;
  const curve = { feeBps, graduationLamports };
  const local = localLaunchpad({ ...given, ...curve, minAgentLamports, chain });
  // The first probe waits for the disk; later ones do not.
  await local.launchpad.probe();
  const untilClose = opened.move();
  return {
    ...local,
    budget: NO_BUDGET,
    agentFunds: agentFunds(local.launchpad, minAgentLamports),
    keeper: null,
    partner: null,
    rpcNodes: null,
    askRpc: null,
    network: () => "sandbox",
    rpcShares: null,
    close: () => untilClose.disposeAsync(),
  };
}

async function openSolana(
  { rpcUrls, sendUrls, tip, launchWallet: place, dbcConfig, spending }: SolanaChainConfig,
  { config, secret, store, log, clock, onRpc, crashPoint }: Given,
): Promise<OpenChain> {
  const pace = new BlockPace(clock);
  const wallet = place && (await openWallet(place, clock, pace));
  const payer = wallet?.publicKey ?? null;
  if (payer === null)
    log.info("no launch wallet: claims are not sponsored, and pools not migrated");
  const owner = ownerOf(config, payer?.toBase58() ?? null, secret);
  await bindDatabase({ store: store.chainBinding, log }, config, owner);
  // In the system's time: if tests speed up the service's clock, nodes do not answer faster.
  const rpcShares = new RpcShares(config.limits.shares, () => clock.elapsed());
  const rpc = openRpc(rpcUrls, {
    onRpc(...asked) {
      rpcShares.count();
      onRpc?.(...asked);
    },
    genesisHash: (await store.chainBinding.read())?.genesisHash ?? null,
    msPerSlot: () => pace.msPerBlock,
    onChange: (node, problem) => {
      if (problem === null) log.info({ node }, "RPC node is used again");
      else log.warn({ node, problem }, "RPC node is left out");
    },
  });
  const cluster = new ClusterIdentity(rpc.connect(), store.chainBinding);
  // Until the cluster is known to be the database's, only probes may query it.
  const connection = rpc.connect({ before: () => cluster.verify() });
  const known = waitAtMost(GENESIS_WAIT_MS, cluster.verify());
  // Meteora's libraries load slower than everything else; the embedded chain needs none.
  const { meteoraMigration, meteoraProgram } = await import("./launchpad/meteora/launch.ts");
  await known;
  if (cluster.problem !== null) rpc[Symbol.dispose]();
  throwProblem(cluster.problem);
  const program = meteoraProgram({
    connection,
    launchWallet: payer,
    config: new PublicKey(dbcConfig),
    secret,
    publicUrl: config.metadataBaseUrl,
  });
  // Shared, so that checks at the same time query the RPC once. No instruction changes a config.
  const terms = new SharedRead(() => program.terms(), Number.POSITIVE_INFINITY, clock);
  const { minAgentLamports } = config.limits;
  const context = chainContext({
    clock,
    crashPoint,
    connection,
    pace,
    cluster,
    probeConnection: rpc.connect({ timeoutMs: PROBE_TIMEOUT_MS }),
    rpcNodes: rpc.nodes,
    wallet,
    program,
    payers: config.limits.launches.payers,
    feeCaps: spending,
    limits: wallet && spending,
    minAgentLamports,
    stalledNode: new StalledNode(clock),
    senders: sendUrls.length > 0 ? new Senders(sendUrls, () => cluster.genesisHash) : null,
    tips: tip && new Tips(tip),
  });
  const launchpad = chainLaunchpad(context, payer && meteoraMigration(connection, payer));
  return {
    launchpad,
    signing: signing(context),
    budget: context.guard,
    agentFunds: agentFunds(launchpad, minAgentLamports),
    terms: () => terms.get(),
    sandbox: null,
    rpcShares,
    keeper: launchpad.keeper,
    async partner() {
      const { meteoraPartner, partnerOf } = await import("./launchpad/meteora/collect.ts");
      return meteoraPartner(connection, await partnerOf(connection, dbcConfig));
    },
    rpcNodes: rpc.nodes,
    askRpc: (method, params) => rawRequest(connection, method, params),
    network: () => orLocalnet(cluster.network, rpcUrls),
    close: async () => rpc[Symbol.dispose](),
  };
}
