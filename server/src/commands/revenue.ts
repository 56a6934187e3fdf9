import { PublicKey } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import type { FeeTotals } from "../launchpad/launchpad.ts";
import type { PartnerRevenue } from "../launchpad/partner-program.ts";
import type { CollectionRow } from "../store/collections.ts";
import { type OpenEarnings, openEarnings } from "./earnings/open.ts";
import { type EarningToken, readLedger, readTokens } from "./earnings/read-all.ts";
import { type Cell, csv, exactJson, table } from "./table.ts";

export interface RevenueOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  /** Whether to print what was collected instead of what was earned. */
  readonly ledger?: boolean;
}

/** Where the operator's earnings come from, and their names in tables. */
const SOURCES = {
  curve: "fees on the curve",
  position: "fees after migration",
  surplus: "surplus of curves",
  migrationFee: "migration fees",
} as const;
type Source = keyof typeof SOURCES;
const sources = Object.keys(SOURCES) as Source[];

const NOTHING: FeeTotals = { claimable: 0n, claimed: 0n, total: 0n };

/**
 * `tokend revenue`: prints what the launch wallet has earned as the partner of its configs and what it
 * paid, for each token and in all, or what `tokend collect` took. The server may keep running.
 *
 * @throws {Error} if a setting is wrong, there is no database, or the RPC does not answer
 */
export async function revenue(options: RevenueOptions): Promise<void> {
  await using earnings = await openEarnings(process.env, true);
  const { store, partner, wallet } = earnings;
  if (options.ledger) return console.log(renderLedger(await readLedger(store), options));
  const tokens: EarningToken[] = [];
  for await (const token of readTokens(store, partner)) tokens.push(token);
  const collections = sum((await readLedger(store)).map(({ feeLamports }) => feeLamports ?? 0n));
  const costs = { ...costsOf(tokens), collections };
  const share = await readShare(earnings);
  console.log(renderRevenue(wallet.publicKey.toBase58(), { tokens, costs, share }, options));
}

/** @returns what the wallet earns of each trade on the curve of the next launches, in percent */
async function readShare({ store, connection, wallet }: OpenEarnings): Promise<number> {
  const { dbcConfig = null } = (await store.chainBinding.read()) ?? {};
  if (dbcConfig === null) return 0;
  const { readEarnings } = await import("../launchpad/meteora/pool-terms.ts");
  const { partner, curve } = await readEarnings(connection, new PublicKey(dbcConfig));
  return partner === wallet.publicKey.toBase58() ? curve.partner : 0;
}

/** What the wallet paid, in lamports. */
export interface Costs {
  readonly launches: bigint;
  readonly migrations: bigint;
  readonly collections: bigint;
  /** Of the launches whose cost is known; null without one. */
  readonly averageLaunch: bigint | null;
}

export function costsOf(tokens: readonly EarningToken[]): Omit<Costs, "collections"> {
  const known = tokens.flatMap(({ launchLamports }) => launchLamports ?? []);
  const launches = sum(known);
  return {
    launches,
    migrations: sum(tokens.map(({ migrationLamports }) => migrationLamports ?? 0n)),
    averageLaunch: known.length === 0 ? null : launches / BigInt(known.length),
  };
}

const sum = (all: readonly bigint[]) => all.reduce((total, lamports) => total + lamports, 0n);

export interface Accounts {
  readonly tokens: readonly EarningToken[];
  readonly costs: Costs;
  /** What the wallet earns of each trade on the curve of the next launches, in percent. */
  readonly share: number;
}

const PERCENT_DIGITS = 1_000_000;

/** @returns lamports of trades on its curve after which an average launch has paid for itself; null if none do */
function breakEvenOf({ averageLaunch }: Costs, share: number): bigint | null {
  const parts = BigInt(Math.round(share * PERCENT_DIGITS));
  if (averageLaunch === null || parts === 0n) return null;
  const whole = 100n * BigInt(PERCENT_DIGITS);
  return (averageLaunch * whole + parts - 1n) / parts;
}

function breakEvenText(costs: Costs, share: number): string[] {
  const { averageLaunch } = costs;
  if (averageLaunch === null) return [];
  const breakEven = breakEvenOf(costs, share);
  const cost = `\nA launch took ${formatSol(averageLaunch)} SOL on average`;
  if (breakEven === null) {
    return [`${cost}; this wallet earns nothing of trades on the curve under the config`];
  }
  const percent = Number(share.toFixed(6));
  return [
    `${cost} and pays for itself after trades of ${formatSol(breakEven)} SOL on its curve; this wallet earns ${percent} % of them`,
  ];
}

/** @returns what the tokens earned, as a table, JSON or CSV */
export function renderRevenue(
  wallet: string,
  { tokens, costs, share }: Accounts,
  { json, csv: isCsv }: RevenueOptions,
): string {
  if (isCsv) return revenueCsv(tokens);
  const readable = tokens.flatMap(({ revenue: read, ...token }) =>
    "unreadable" in read ? [] : [{ ...token, ...read }],
  );
  const unreadable = tokens.flatMap(({ tokenMint, ticker, revenue: read }) =>
    "unreadable" in read ? [{ tokenMint, ticker, reason: read.unreadable }] : [],
  );
  const bySource = Object.fromEntries(
    sources.map((source) => [source, sumOf(readable.map((token) => token[source]))]),
  ) as Record<Source, FeeTotals>;
  const total = sumOf(Object.values(bySource));
  const { averageLaunch, ...paid } = costs;
  const net = total.total - sum(Object.values(paid));
  if (json) {
    return exactJson({
      wallet,
      unit: "lamports",
      total,
      ...bySource,
      costs: paid,
      net,
      averageLaunch,
      breakEvenVolume: breakEvenOf(costs, share),
      unreadable,
      tokens: readable.map(({ id, ...token }) => ({
        ...token,
        total: totalOf(token),
        net: netOf(token),
      })),
    });
  }
  const lines = table([
    ["", { right: "earned SOL" }, { right: "collected" }, { right: "to collect" }],
    ...sources.map((source) => [SOURCES[source], ...cells(bySource[source])]),
    ["in all", ...cells(total)],
    ["launches took", { right: formatSol(-paid.launches) }],
    ["migrations took", { right: formatSol(-paid.migrations) }],
    ["collecting took", { right: formatSol(-paid.collections) }],
    ["left", { right: formatSol(net) }],
  ]);
  const earning = readable.filter((token) => totalOf(token).total > 0n);
  const perToken = table([
    [
      ...["ticker", "mint", { right: "earned SOL" }, { right: "collected" }],
      ...[{ right: "to collect" }, { right: "took" }, { right: "left" }],
    ],
    ...earning.map((token) => [
      ...[token.ticker, token.tokenMint, ...cells(totalOf(token))],
      ...[{ right: formatSol(costOf(token)) }, { right: formatSol(netOf(token)) }],
    ]),
  ]);
  const idle = readable.filter((token) => totalOf(token).total === 0n);
  const foreign = readable.filter(({ isPartner }) => !isPartner).length;
  return [
    `What ${wallet} has earned from ${readable.length} tokens\n\n${lines}`,
    ...(earning.length > 0 ? [`\n${perToken}`] : []),
    ...(idle.length > 0
      ? [
          `\nTokens that have earned nothing: ${idle.length}; they took ${formatSol(sum(idle.map(costOf)))} SOL`,
        ]
      : []),
    ...breakEvenText(costs, share),
    ...(foreign > 0 ? [`\nTokens with another wallet as their partner: ${foreign}`] : []),
    ...unreadable.map(({ ticker, tokenMint, reason }) => `\n${ticker} ${tokenMint}: ${reason}`),
  ].join("\n");
}

function revenueCsv(tokens: readonly EarningToken[]): string {
  const columns = sources.flatMap((source) => [
    `${snake(source)}_earned_lamports`,
    `${snake(source)}_collected_lamports`,
  ]);
  const rows = tokens.flatMap((token) => {
    const { ticker, tokenMint, poolAddress, wallet, revenue: read } = token;
    if ("unreadable" in read) return [];
    const amounts = sources.flatMap((source) => [read[source].total, read[source].claimed]);
    const { total, claimed } = totalOf(read);
    return [
      [
        ...[ticker, tokenMint, poolAddress, wallet, read.isMigrated, ...amounts, total, claimed],
        ...[token.launchLamports ?? "", token.migrationLamports ?? ""],
      ],
    ];
  });
  return csv([
    [
      ...["ticker", "token_mint", "pool_address", "agent", "is_migrated"],
      ...columns,
      ...["earned_lamports", "collected_lamports", "launch_lamports", "migration_lamports"],
    ],
    ...rows,
  ]);
}

/** @returns all collections, as a table, JSON or CSV */
export function renderLedger(
  ledger: readonly CollectionRow[],
  { json, csv: isCsv }: RevenueOptions,
): string {
  const timeOf = ({ settledAt, submittedAt }: CollectionRow) =>
    new Date(settledAt ?? submittedAt).toISOString();
  if (json) {
    return exactJson(
      ledger.map((row) => ({
        time: timeOf(row),
        wallet: row.wallet,
        status: row.status,
        signature: row.signature,
        paidLamports: row.paidLamports,
        feeLamports: row.feeLamports,
        tokens: row.tokens.map(({ tokenMint, lamports }) => ({ tokenMint, lamports })),
      })),
    );
  }
  if (isCsv) {
    return csv([
      ["time", "signature", "status", "token_mint", "lamports"],
      ...ledger.flatMap((row) =>
        row.tokens.map(({ tokenMint, lamports }) => [
          ...[timeOf(row), row.signature, row.status, tokenMint],
          row.status === "confirmed" ? lamports : "0",
        ]),
      ),
    ]);
  }
  return table([
    ["time", { right: "collected SOL" }, { right: "fee" }, { right: "tokens" }, "", "signature"],
    ...ledger.map((row): Cell[] => [
      timeOf(row),
      { right: formatSol(row.paidLamports ?? 0n) },
      { right: formatSol(row.feeLamports ?? 0n) },
      { right: `${row.tokens.length}` },
      ...[row.status, row.signature],
    ]),
  ]);
}

type TokenCost = Pick<EarningToken, "launchLamports" | "migrationLamports">;

function costOf({ launchLamports, migrationLamports }: TokenCost): bigint {
  return (launchLamports ?? 0n) + (migrationLamports ?? 0n);
}

function netOf(token: TokenCost & Pick<PartnerRevenue, Source>): bigint {
  return totalOf(token).total - costOf(token);
}

function totalOf(revenueOfToken: Pick<PartnerRevenue, Source>): FeeTotals {
  return sumOf(sources.map((source) => revenueOfToken[source]));
}

function sumOf(all: readonly FeeTotals[]): FeeTotals {
  return all.reduce(
    (sum, { claimable, claimed, total }) => ({
      claimable: sum.claimable + claimable,
      claimed: sum.claimed + claimed,
      total: sum.total + total,
    }),
    NOTHING,
  );
}

function cells({ total, claimed, claimable }: FeeTotals): Cell[] {
  return [total, claimed, claimable].map((lamports) => ({ right: formatSol(lamports) }));
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
