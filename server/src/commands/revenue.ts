import { formatSol } from "@tokenctl/shared/sol";
import { withKeypair } from "../config/config.ts";
import type { FeeTotals } from "../launchpad/pool-program.ts";
import type { CollectionRow } from "../store/collections.ts";
import { type EarningOptions, type EarningToken, openEarnings, readTokens } from "./earnings.ts";
import { type Cell, counted, exactJson, table } from "./terminal.ts";

export async function revenue({ json = false, keypair }: EarningOptions): Promise<void> {
  await using earnings = await openEarnings(withKeypair(process.env, keypair), true);
  const { store, partner, earner } = earnings;
  const tokens: EarningToken[] = [];
  for await (const token of readTokens(store, partner)) tokens.push(token);
  const collections = await store.collections.all();
  console.log(renderRevenue(earner.toBase58(), { tokens, collections }, json));
}

export interface Accounts {
  readonly tokens: readonly EarningToken[];
  readonly collections: readonly Pick<CollectionRow, "status" | "feeLamports" | "tipLamports">[];
}

export function renderRevenue(
  wallet: string,
  { tokens, collections }: Accounts,
  json: boolean,
): string {
  const readable = tokens.flatMap(({ revenue: read, ...token }) =>
    "unreadable" in read ? [] : [{ ...token, ...read, total: sumOf(Object.values(read)) }],
  );
  const unreadable = tokens.flatMap(({ tokenMint, ticker, revenue: read }) =>
    "unreadable" in read ? [{ tokenMint, ticker, reason: read.unreadable }] : [],
  );
  const total = sumOf(readable.map((token) => token.total));
  const costs = {
    launches: sum(tokens.map(({ launchLamports }) => launchLamports)),
    migrations: sum(tokens.map(({ migrationLamports }) => migrationLamports)),
    collections: sum(collections.map(({ feeLamports }) => feeLamports)),
  };
  /** Part of the costs. What failed on chain paid no tip. */
  const tips = sum([
    ...tokens.map((token) => token.tips),
    ...collections.map((one) => (one.status === "confirmed" ? one.tipLamports : null)),
  ]);
  const net = total.total - sum(Object.values(costs));
  if (json) {
    const all = { total, costs, tips, net, unreadable, tokens: readable };
    return exactJson({ wallet, unit: "lamports", ...all });
  }
  const lines = table([
    ["", ...right("earned SOL", "collected", "to collect")],
    ["all tokens", ...totals(total)],
    ["launches took", ...sol(-costs.launches)],
    ["migrations took", ...sol(-costs.migrations)],
    ["collecting took", ...sol(-costs.collections)],
    ...(tips > 0n ? [["of that in tips", ...sol(-tips)]] : []),
    ["left", ...sol(net)],
  ]);
  const perToken = table([
    ["ticker", "mint", ...right("earned SOL", "collected", "to collect", "took")],
    ...readable.map(({ ticker, tokenMint, launchLamports, migrationLamports, total }) => {
      const took = sum([launchLamports, migrationLamports]);
      return [ticker, tokenMint, ...totals(total), ...sol(took)];
    }),
  ]);
  return [
    `What ${wallet} has earned from ${counted(readable.length, "token")}\n\n${lines}`,
    ...(readable.length > 0 ? [perToken] : []),
    ...unreadable.map(({ ticker, tokenMint, reason }) => `${ticker} ${tokenMint}: ${reason}`),
  ].join("\n\n");
}

const sum = (all: readonly (bigint | null)[]) =>
  all.reduce<bigint>((total, lamports) => total + (lamports ?? 0n), 0n);

function sumOf(all: readonly FeeTotals[]): FeeTotals {
  const add = (field: keyof FeeTotals) => sum(all.map((each) => each[field]));
  return { claimable: add("claimable"), claimed: add("claimed"), total: add("total") };
}

const right = (...texts: readonly string[]): Cell[] => texts.map((text) => ({ right: text }));
const sol = (...all: readonly bigint[]): Cell[] => right(...all.map((each) => formatSol(each)));
const totals = ({ total, claimed, claimable }: FeeTotals) => sol(total, claimed, claimable);
