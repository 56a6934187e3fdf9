import type { ClaimList, LaunchRecord, LaunchStatus, Token } from "@tokenctl/sdk";
import { solColumn, solText, toLamports } from "./amount.ts";
import type { ClaimAllData, ConfigData, Result } from "./result.ts";
import type { Style } from "./style.ts";
import { type Cell, table } from "./table.ts";
import { waitingText } from "./waiting-text.ts";

/** A cell or field without a value. */
export const NONE = "-";

export function launchListLines(
  launches: readonly LaunchRecord[],
  style: Style,
  width: number | null,
): string[] {
  if (launches.length === 0) return ["This wallet has no launches to list."];
  return table(
    [
      { title: "TICKER" },
      { title: "STATUS" },
      { title: "EVENT ID" },
      { title: "LAUNCHED", dropFirst: 2 },
      { title: "MINT", shorten: "middle", dropFirst: 1 },
      { title: "WHY", shorten: "end", dropFirst: 3 },
    ],
    launches.map((launch) => [
      launch.ticker,
      { text: launch.status, paint: statusPaint(launch.status, style) },
      launch.eventId,
      minute(launch.createdAt),
      launch.tokenMint ?? NONE,
      launch.error ?? waitingText(launch) ?? "",
    ]),
    style.bold,
    width,
  );
}

export function tokenLines(tokens: readonly Token[], style: Style, width: number | null): string[] {
  if (tokens.length === 0) return ["This wallet has no tokens yet."];
  return table(
    [
      { title: "TICKER" },
      { title: "NAME", shorten: "end", dropFirst: 1 },
      { title: "MINT", shorten: "middle" },
      { title: "DEPLOYED", dropFirst: 2 },
      { title: "CLAIMED", dropFirst: 3 },
    ],
    tokens.map((token) => [
      token.ticker,
      token.tokenName,
      token.tokenMint,
      minute(token.deployedAt),
      token.claimedAt === null ? "never" : minute(token.claimedAt),
    ]),
    style.bold,
    width,
  );
}

export function feeLines(
  { claims, unreadable }: ClaimList,
  style: Style,
  width: number | null,
): string[] {
  if (claims.length === 0) {
    return [unreadable ? "No fees can be read." : "This wallet has no tokens yet, and so no fees."];
  }
  const lamports = claims.map((claim) => {
    const curve = toLamports(claim.dbcClaimableFees);
    const pool = toLamports(claim.lpClaimableFees);
    const claimed = toLamports(claim.dbcClaimedFees) + toLamports(claim.lpClaimedFees);
    const earned = toLamports(claim.dbcTotalFees) + toLamports(claim.lpTotalFees);
    return { curve, pool, claimed, earned };
  });
  const column = (amount: "curve" | "pool" | "claimed" | "earned") => {
    const amounts = lamports.map((row) => row[amount]);
    return solColumn([...amounts, amounts.reduce((sum, value) => sum + value, 0n)]);
  };
  const columns = [column("curve"), column("pool"), column("claimed"), column("earned")];
  const row = (index: number) => columns.map((cells) => cells[index] ?? "");
  return table(
    [
      { title: "TICKER" },
      { title: "MINT", shorten: "middle", dropFirst: 4 },
      { title: "TRADES ON", dropFirst: 1 },
      { title: "CLAIMABLE (CURVE)", align: "right" },
      { title: "CLAIMABLE (POOL)", align: "right" },
      { title: "CLAIMED", align: "right", dropFirst: 2 },
      { title: "EARNED", align: "right", dropFirst: 3 },
    ],
    [
      ...claims.map((claim, index) => [
        claim.ticker,
        claim.tokenMint,
        venue(claim.isMigrated),
        ...row(index),
      ]),
      ...(claims.length > 1 ? [["Total", "", "", ...row(claims.length)]] : []),
    ],
    style.bold,
    width,
  );
}

export function claimLines(data: ClaimAllData, style: Style, width: number | null): string[] {
  const { claims, claimedSOL, skipped, unreadable = [] } = data;
  const small = skipped.filter(({ reason }) => reason === "below_minimum");
  const left = small.map(({ ticker, claimableSOL }) => `${ticker} (${solText(claimableSOL)})`);
  const leftLine = left.length > 0 ? [`Left, less than the minimum: ${left.join(", ")}`] : [];
  if (claims.length === 0) {
    const tokens = unreadable.length > 0 ? "tokens that can be read" : "tokens";
    if (left.length > 0)
      return ["Nothing claimed: --min-sol left every token with fees.", ...leftLine];
    return [`Nothing to claim: none of this wallet's ${tokens} has fees.`];
  }
  const amounts = solColumn(
    [...claims.map((claim) => claim.claimedSOL), claimedSOL].map(toLamports),
  );
  const lines = table(
    [
      { title: "TICKER" },
      { title: "MINT", shorten: "middle", dropFirst: 1 },
      { title: "CLAIMED", align: "right" },
      { title: "TRANSACTION", shorten: "middle" },
    ],
    [
      ...claims.map((claim, index): Cell[] => [
        claim.ticker,
        claim.tokenMint,
        claim.error === null ? (amounts[index] ?? "") : NONE,
        claim.transactionHash ?? {
          text: `failed: ${claim.error}`,
          paint: style.red,
          shorten: "end",
        },
      ]),
      ...(claims.length > 1 ? [["Total", "", amounts.at(-1) ?? "", ""]] : []),
    ],
    style.bold,
    width,
  );
  return [...lines, ...leftLine];
}

export function configLines(
  { current, profiles }: ConfigData,
  style: Style,
  width: number | null,
): string[] {
  if (profiles.length === 0) return ["There are no profiles: `tokenctl config set` makes one."];
  return table(
    [
      { title: "PROFILE" },
      { title: "API URL" },
      { title: "KEYPAIR", dropFirst: 1 },
      { title: "RPC URL", dropFirst: 2 },
    ],
    profiles.map((profile) => [
      profile.name === current ? `${profile.name} *` : profile.name,
      profile["api-url"] ?? NONE,
      profile.keypair ?? NONE,
      profile["rpc-url"] ?? NONE,
    ]),
    style.bold,
    width,
  );
}

export function settingLines(
  settings: Extract<Result, { kind: "settings" }>["data"]["settings"],
  style: Style,
  width: number | null,
): string[] {
  return table(
    [{ title: "SETTING" }, { title: "VALUE" }, { title: "FROM" }],
    settings.map(({ key, value, from, profile }) => [
      key,
      value ?? NONE,
      profile === undefined ? from : `${from} ${profile}`,
    ]),
    style.bold,
    width,
  );
}

/** @returns what shows a status in its colour */
export function statusPaint(
  status: LaunchStatus["status"],
  style: Style,
): (text: string) => string {
  const paint = { pending: style.yellow, success: style.green, failed: style.red };
  return status === "rate_limited" ? style.red : paint[status];
}

/** @returns where a token trades */
export function venue(isMigrated: boolean): string {
  return isMigrated ? "pool" : "curve";
}

/** @returns an ISO timestamp to the minute: `2026-11-21 09:30Z` */
function minute(timestamp: string): string {
  return timestamp.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, "$1 $2Z");
}
