import { systemClock } from "../base/clock.ts";
import { readEarningConfig, requireWallet, type StorageConfig } from "../config/config.ts";
import { openBesideServer } from "../data/open-beside.ts";
import type { TokenRef } from "../domain/token.ts";
import { clusterProblem } from "../launchpad/chain/cluster.ts";
import type { PartnerProgram, PartnerRevenue, UnreadableFees } from "../launchpad/pool-program.ts";
import { openWallet } from "../solana/open-wallet.ts";
import { openRpc } from "../solana/rpc-failover.ts";
import { Senders, Tips } from "../solana/senders.ts";
import type { Store } from "../store/store.ts";
import type { TokenWithLaunch } from "../store/tokens.ts";

export interface EarningOptions {
  readonly keypair?: string;
  readonly json?: boolean;
}

/** @throws {Error} if a setting, the database or its cluster is wrong, or no earner is known */
export async function openEarnings(
  env: Readonly<Record<string, string | undefined>>,
  isReadOnly: boolean,
) {
  const config = readEarningConfig(env);
  const { launchWallet } = config;
  const wallet = launchWallet && (await openWallet(launchWallet, systemClock));
  await using opened = new AsyncDisposableStack();
  const store = await openBesideServer(config, isReadOnly);
  opened.defer(() => store.close());
  const bound = await requireBinding(store, config);
  const connection = opened.use(openRpc(config.rpcUrls, bound)).connect();
  const genesis = await connection.getGenesisHash();
  if (genesis !== bound.genesisHash) throw new Error(clusterProblem(bound.genesisHash, genesis));
  const dbcConfig = config.dbcConfig ?? bound.dbcConfig;
  // Loaded last: it takes longer than everything else.
  const { meteoraPartner, partnerOf } = await import("../launchpad/meteora/collect.ts");
  const earner = wallet?.publicKey ?? (await partnerOf(connection, requireWallet(dbcConfig)));
  const untilClose = opened.move();
  return {
    store,
    connection,
    wallet,
    /** The wallet that earns; without one, the partner of the config. */
    earner,
    feeCaps: config.spending,
    senders: new Senders(config.sendUrls, () => bound.genesisHash),
    tips: config.tip && new Tips(config.tip),
    partner: meteoraPartner(connection, earner),
    [Symbol.asyncDispose]: () => untilClose.disposeAsync(),
  };
}

async function requireBinding(
  { chainBinding }: Pick<Store, "chainBinding">,
  { dataDir, databaseUrl }: StorageConfig,
) {
  const { genesisHash = null, dbcConfig = null } = (await chainBinding.read()) ?? {};
  if (genesisHash !== null) return { genesisHash, dbcConfig };
  const place = databaseUrl === null ? dataDir : "The database";
  throw new Error(`${place} belongs to no cluster yet: start the server on it first.`);
}

/** Tokens read at a time: five RPC calls, side by side. */
const TOKENS_AT_ONCE = 500;

export interface EarningToken
  extends TokenRef,
    Pick<TokenWithLaunch, "ticker" | "wallet" | "launchLamports" | "migrationLamports"> {
  /** Part of what its launch and its migration cost. */
  readonly tips: bigint;
  readonly revenue: PartnerRevenue | UnreadableFees;
}

export async function* readTokens(
  { tokens }: Pick<Store, "tokens">,
  partner: PartnerProgram,
): AsyncGenerator<EarningToken> {
  for await (const portion of tokens.all(TOKENS_AT_ONCE)) {
    const revenues = await partner.readRevenue(portion);
    for (const [index, token] of portion.entries()) {
      const { tokenMint, poolAddress, ticker, wallet, launchLamports, migrationLamports } = token;
      const about = { tokenMint, poolAddress, ticker, wallet, launchLamports, migrationLamports };
      const tips = (token.launchTip ?? 0n) + (token.migrationTip ?? 0n);
      yield { ...about, tips, revenue: revenues[index] ?? { unreadable: "It was not read" } };
    }
  }
}
