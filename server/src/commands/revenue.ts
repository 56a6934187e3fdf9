import { PublicKey } from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import { withKeypair } from "../config/config.ts";
import type { FeeTotals, PartnerRevenue } from "../launchpad/pool-program.ts";
import type { CollectionRow } from "../store/collections.ts";
import { type EarningToken, type OpenEarnings, openEarnings, readTokens } from "./earnings.ts";
import { type Cell, counted, csv, exactJson, table } from "./terminal.ts";

interface RevenueOptions {
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly ledger?: boolean;
  readonly keypair?: string;
}

const SOURCES = {
  curve: "fees on the curve",
  position: "fees after migration",
  surplus: "surplus of curves",
  migrationFee: "migration fees",
  creationFee: "creation fees",
} as const;
type Source = keyof typeof SOURCES;
const sources = Object.keys(SOURCES) as Source[];

/** `tokend revenue`: shows what the wallet earned and paid, or what `tokend collect` took. */
export async function revenue(options: RevenueOptions): Promise<void> {
  await using earnings = await openEarnings(withKeypair(process.env, options.keypair), true);
  const { store, partner, earner } = earnings;
  if (options.ledger) return console.log(renderLedger(await store.collections.all(), options));
  const tokens: EarningToken[] = [];
  for await (const token of readTokens(store, partner)) tokens.push(token);
  const costs = costsOf(tokens, await store.collections.all());
  const share = await readShare(earnings);
  console.log(renderRevenue(earner.toBase58(), { tokens, costs, share }, options));
}

async function readShare({ connection, dbcConfig, earner }: OpenEarnings): Promise<number> {
  if (dbcConfig === null) return 0;
  const { readEarnings } = await import("../launchpad/meteora/pool-terms.ts");
  const { partner, curve, later } = await readEarnings(connection, new PublicKey(dbcConfig));
  return partner === earner.toBase58() ? (later.at(-1) ?? curve).partner : 0;
}

/**
 * Returns what the wallet paid, in lamports. `tips` are part of it; the averages are over the
 * launches whose cost is known: what they took, and what came back as creation fees.
 */
export function costsOf(
  tokens: readonly EarningToken[],
  ledger: readonly Pick<CollectionRow, "status" | "feeLamports" | "tipLamports">[],
) {
  const paid = ledger.filter(({ status }) => status === "confirmed");
  const known = tokens.filter(({ launchLamports }) => launchLamports !== null);
  const launches = sum(known.map(({ launchLamports }) => launchLamports));
  const returned = known.map(({ revenue: read }) =>
    "unreadable" in read ? 0n : read.creationFee.total,
  );
  const count = BigInt(known.length || 1);
  return {
    launches,
    migrations: sum(tokens.map(({ migrationLamports }) => migrationLamports)),
    collections: sum(ledger.map(({ feeLamports }) => feeLamports)),
    tips: sum([...tokens.map(({ tips }) => tips), ...paid.map((one) => one.tipLamports)]),
    averageLaunch: known.length === 0 ? null : launches / count,
    averageReturn: sum(returned) / count,
  };
}

const sum = (all: readonly (bigint | null)[]) =>
  all.reduce<bigint>((total, lamports) => total + (lamports ?? 0n), 0n);

export interface Accounts {
  readonly tokens: readonly EarningToken[];
  readonly costs: ReturnType<typeof costsOf>;
  /** The part of each trade that the wallet earns on the next launches' curves, in percent. */
  readonly share: number;
}

/** Returns the lamports of trades that pay for an average launch; null if none ever do. */
function breakEvenOf({ costs: { averageLaunch, averageReturn }, share }: Accounts): bigint | null {
  // In millionths of a percent: the whole is 100 million.
  const parts = BigInt(Math.round(share * 1_000_000));
  if (averageLaunch === null || parts === 0n) return null;
  return ((averageLaunch - averageReturn) * 100_000_000n + parts - 1n) / parts;
}

function breakEvenText(accounts: Accounts): string[] {
  const { averageLaunch, averageReturn } = accounts.costs;
  if (averageLaunch === null) return [];
  const breakEven = breakEvenOf(accounts);
  const back =
    averageReturn === 0n ? "" : `, got ${formatSol(averageReturn)} SOL back as its creation fee`;
  const then =
    breakEven === null
      ? "; this wallet earns nothing of trades on the curve under the config"
      : ` and pays for itself after trades of ${formatSol(breakEven)} SOL on its curve; this wallet earns ${Number(accounts.share.toFixed(6))} % of them`;
  return [`\nA launch took ${formatSol(averageLaunch)} SOL on average${back}${then}`];
}

export function renderRevenue(
  wallet: string,
  accounts: Accounts,
  { json, csv: isCsv }: RevenueOptions,
): string {
  const { tokens, costs } = accounts;
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
  const { averageLaunch, averageReturn: _, tips, ...paid } = costs;
  const net = total.total - sum(Object.values(paid));
  if (json) {
    return exactJson({
      wallet,
      unit: "lamports",
      total,
      ...bySource,
      costs: paid,
      tips,
      net,
      averageLaunch,
      breakEvenVolume: breakEvenOf(accounts),
      unreadable,
      tokens: readable.map((token) => ({ ...token, total: totalOf(token), net: netOf(token) })),
    });
  }
  const lines = table([
    ["", ...right("earned SOL", "collected", "to collect")],
    ...sources.map((source) => [SOURCES[source], ...totals(bySource[source])]),
    ["in all", ...totals(total)],
    ["launches took", ...sol(-paid.launches)],
    ["migrations took", ...sol(-paid.migrations)],
    ["collecting took", ...sol(-paid.collections)],
    ...(tips > 0n ? [["of that in tips", ...sol(-tips)]] : []),
    ["left", ...sol(net)],
  ]);
  const earning = readable.filter((token) => totalOf(token).total > 0n);
  const perToken = table([
    ["ticker", "mint", ...right("earned SOL", "collected", "to collect", "took", "left")],
    ...earning.map((token) => {
      const amounts = [...totals(totalOf(token)), ...sol(costOf(token), netOf(token))];
      return [token.ticker, token.tokenMint, ...amounts];
    }),
  ]);
  const idle = readable.filter((token) => totalOf(token).total === 0n);
  const idleCost = formatSol(sum(idle.map(costOf)));
  const foreign = readable.filter(({ isPartner }) => !isPartner).length;
  const parts = [
    `What ${wallet} has earned from ${counted(readable.length, "token")}\n\n${lines}`,
    earning.length > 0 && `\n${perToken}`,
    idle.length > 0 &&
      `\nTokens that have earned nothing: ${idle.length}; they took ${idleCost} SOL`,
    ...breakEvenText(accounts),
    foreign > 0 && `\nTokens with another wallet as their partner: ${foreign}`,
    ...unreadable.map(({ ticker, tokenMint, reason }) => `\n${ticker} ${tokenMint}: ${reason}`),
  ];
  return parts.filter((part) => part !== false).join("\n");
}

function revenueCsv(tokens: readonly EarningToken[]): string {
  const head = [
    "ticker,token_mint,pool_address,agent,is_migrated",
    ...sources.flatMap((source) => [
      `${snake(source)}_earned_lamports`,
      `${snake(source)}_collected_lamports`,
    ]),
    "earned_lamports,collected_lamports,launch_lamports,migration_lamports",
  ];
  const rows = tokens.flatMap((token) => {
    const { ticker, tokenMint, poolAddress, wallet, revenue: read } = token;
    if ("unreadable" in read) return [];
    const earnings = [...sources.map((source) => read[source]), totalOf(read)];
    const amounts = earnings.flatMap(({ total, claimed }) => [total, claimed]);
    const costs = [token.launchLamports ?? "", token.migrationLamports ?? ""];
    return [[ticker, tokenMint, poolAddress, wallet, read.isMigrated, ...amounts, ...costs]];
  });
  return csv([head, ...rows]);
}

export function renderLedger(
  ledger: readonly CollectionRow[],
  { json, csv: isCsv }: RevenueOptions,
): string {
  const timeOf = ({ settledAt, submittedAt }: CollectionRow) =>
    new Date(settledAt ?? submittedAt).toISOString();
  if (json) {
    return exactJson(
      ledger.map((row) => {
        const { wallet, status, signature, paidLamports, feeLamports } = row;
        const tokens = row.tokens.map(({ tokenMint, lamports }) => ({ tokenMint, lamports }));
        return { time: timeOf(row), wallet, status, signature, paidLamports, feeLamports, tokens };
      }),
    );
  }
  if (isCsv) {
    const rows = ledger.flatMap((row) =>
      row.tokens.map(({ tokenMint, lamports }) => {
        const taken = row.status === "confirmed" ? lamports : "0";
        return [timeOf(row), row.signature, row.status, tokenMint, taken];
      }),
    );
    return csv([["time,signature,status,token_mint,lamports"], ...rows]);
  }
  return table([
    ["time", ...right("collected SOL", "fee", "tokens"), "", "signature"],
    ...ledger.map((row) => {
      const { paidLamports, feeLamports, tokens, status, signature } = row;
      const amounts = [...sol(paidLamports ?? 0n, feeLamports ?? 0n), ...right(`${tokens.length}`)];
      return [timeOf(row), ...amounts, status, signature];
    }),
  ]);
}

type TokenCost = Pick<EarningToken, "launchLamports" | "migrationLamports">;

function costOf({ launchLamports, migrationLamports }: TokenCost): bigint {
  return sum([launchLamports, migrationLamports]);
}

function netOf(token: TokenCost & Pick<PartnerRevenue, Source>): bigint {
  return totalOf(token).total - costOf(token);
}

function totalOf(revenueOfToken: Pick<PartnerRevenue, Source>): FeeTotals {
  return sumOf(sources.map((source) => revenueOfToken[source]));
}

function sumOf(all: readonly FeeTotals[]): FeeTotals {
  const add = (field: keyof FeeTotals) => sum(all.map((each) => each[field]));
  return { claimable: add("claimable"), claimed: add("claimed"), total: add("total") };
}

const right = (...texts: readonly string[]): Cell[] => texts.map((text) => ({ right: text }));
const sol = (...all: readonly bigint[]): Cell[] => right(...all.map((each) => formatSol(each)));
const totals = ({ total, claimed, claimable }: FeeTotals) => sol(total, claimed, claimable);

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
