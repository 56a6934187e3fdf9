import type {
  AgentEvent,
  ClaimList,
  LaunchRecord,
  LaunchStatus,
  Network,
  Token,
} from "@tokenctl/sdk";
import { solColumn, solText, tokenText, toLamports } from "./amount.ts";
import { checkLines } from "./render-check.ts";
import { historyCsv, historyJsonLines, historyLines } from "./render-history.ts";
import { deliveryLines, webhookLines } from "./render-webhooks.ts";
import type { ClaimAllData, ConfigData, Result } from "./result.ts";
import type { Style } from "./style.ts";
import { type Cell, table } from "./table.ts";
import { plainJson, plainStrings, record } from "./text.ts";
import { waitingText } from "./waiting-text.ts";

const NONE = "-";

/**
 * Makes every string plain first, so that no field of a server's answer reaches a terminal as it is.
 *
 * @param width the terminal's cells; null if stdout is none
 * @returns a result for stdout: JSON, a table for people, or the lines that the command was asked for
 */
export function renderResult(
  result: Result,
  json: boolean,
  style: Style,
  width: number | null = null,
): string {
  if (result.kind === "history" && result.lines) {
    const { claims } = result.data;
    return result.lines === "csv" ? historyCsv(claims) : historyJsonLines(claims);
  }
  // One of many: a line for each, for programs that read line by line.
  const indent = result.kind === "event" ? undefined : 2;
  if (json) return `${plainJson(result.data, indent)}\n`;
  return `${lines(plainStrings(result), style, width).join("\n")}\n`;
}

function lines(result: Result, style: Style, width: number | null): string[] {
  const { kind, data, network } = result;
  switch (kind) {
    case "keygen":
      return [data.address, ...(data.seedPhrase === undefined ? [] : [data.seedPhrase])];
    case "text":
      return [data.text];
    case "config":
      return configLines(data, style, width);
    case "balance":
      return record(
        [["Balance", solText(data.balanceSOL)], ["Wallet", data.wallet], ...networkRow(network)],
        style.bold,
      );
    case "address":
      return [data.address];
    case "session":
      return [data.token];
    case "login":
      return record(
        [
          ["Wallet", data.wallet],
          ["Server", data.apiUrl],
          ...networkRow(data.network),
          ["Session", data.expiresInSeconds === null ? NONE : lifetime(data.expiresInSeconds)],
        ],
        style.bold,
      );
    case "redeemed":
      return record(
        [
          ["Wallet", data.wallet],
          ["Invite", data.wasInvited ? "redeemed before; this one was not used up" : "redeemed"],
        ],
        style.bold,
      );
    case "accepted":
      return record([["Event id", data.eventId], ...networkRow(network)], style.bold);
    case "check":
      return checkLines(data, style);
    case "launch":
      return launchLines(data, network, style);
    case "launches":
      return launchListLines(data.launches, style, width);
    case "tokens":
      return tokenLines(data.tokens, style, width);
    case "token":
      return record(
        [
          ["Ticker", data.ticker],
          ["Name", data.tokenName],
          ["Mint", data.tokenMint],
          ["Pool", data.poolAddress],
          ["Deployed", data.deployedAt],
          ["Claimed", data.claimedAt ?? "never"],
          ["Claimed to", data.claimedToAddress ?? NONE],
        ],
        style.bold,
      );
    case "fees":
      return feeLines(data, style, width);
    case "claim":
      return record(
        [
          ["Claimed", solText(data.claimedSOL)],
          ...(data.gainedSOL === undefined
            ? []
            : [["Gained", `${gainText(data.gainedSOL)} after fees and rent, verified`] as const]),
          ["Mint", data.tokenMint],
          ["Transaction", data.transactionHash],
        ],
        style.bold,
      );
    case "claimAll":
      return claimLines(data, style, width);
    case "history":
      return historyLines(data.claims, style.bold, width);
    case "health":
      return record(
        [
          ["Server", data.ok ? style.green("ok") : style.red("unhealthy")],
          ["Database", data.db],
          ...networkRow(data.network),
          ["Time", data.timestamp],
          ...(data.message === undefined ? [] : [["Message", data.message] as const]),
        ],
        style.bold,
      );
    case "airdrop":
      return record(
        [
          ["Airdropped", solText(data.sol)],
          ["Wallet", data.wallet],
          ["Transaction", data.signature],
        ],
        style.bold,
      );
    case "trade":
      return record(
        [
          [data.side === "buy" ? "Bought" : "Sold", tokenText(data.tokens)],
          [data.side === "buy" ? "Paid" : "Worth", solText(data.sol)],
          ["Creator fee", solText(data.creatorFeeSOL)],
          ["Trades on", venue(data.isMigrated)],
          ["Transaction", data.signature],
        ],
        style.bold,
      );
    case "graduation":
      return record(
        [
          ["Trades on", venue(data.isMigrated)],
          ["Transaction", data.signature],
        ],
        style.bold,
      );
    case "event":
      return [eventLine(data, style)];
    case "webhooks":
      return webhookLines(data.webhooks, style, width);
    case "webhookSecret":
      return record(
        [
          ["Webhook", data.id],
          ["URL", data.url],
          ["Secret", data.secret],
          ["Public key", data.publicKey],
          ...(data.oldSecretExpiresAt === null
            ? []
            : [["Old until", data.oldSecretExpiresAt] as const]),
        ],
        style.bold,
      );
    case "webhookRemoved":
      return record([["Removed", data.url]], style.bold);
    case "delivery":
      return deliveryLines([data], style, width);
    case "deliveries":
      return deliveryLines(data.deliveries, style, width);
  }
}

/** Columns of the widths of the longest type and ticker: each line comes by itself. */
function eventLine({ id, type, timestamp, data }: AgentEvent, style: Style): string {
  const isBad = type === "launch.failed" || type === "launch.rate_limited";
  const paint = isBad ? style.red : type === "claim.expired" ? style.yellow : style.green;
  const about = data.transactionHash ?? data.tokenMint ?? data.eventId;
  const cells = [timestamp, String(id).padStart(5), paint(type.padEnd(19)), data.ticker.padEnd(10)];
  return [...cells, about].join("  ");
}

function networkRow(network: Network | undefined): (readonly [string, string])[] {
  return network === undefined ? [] : [["Network", network]];
}

function statusPaint(status: LaunchStatus["status"], style: Style): (text: string) => string {
  const paint = { pending: style.yellow, success: style.green, failed: style.red };
  return status === "rate_limited" ? style.red : paint[status];
}

function launchLines(launch: LaunchStatus, network: Network | undefined, style: Style): string[] {
  const waiting = waitingText(launch);
  return record(
    [
      ["Status", statusPaint(launch.status, style)(launch.status)],
      ["Ticker", launch.ticker],
      ["Mint", launch.tokenMint ?? NONE],
      ["Pool", launch.poolAddress ?? NONE],
      ["Processed", launch.processedAt ?? NONE],
      ...(waiting === null ? [] : [["Waiting for", waiting] as const]),
      ...(launch.waitingSince === undefined ? [] : [["Since", launch.waitingSince] as const]),
      ...networkRow(network),
      ["Event id", launch.eventId],
      ...(launch.error === null ? [] : [["Error", launch.error] as const]),
    ],
    style.bold,
  );
}

function launchListLines(
  launches: readonly LaunchRecord[],
  style: Style,
  width: number | null,
): string[] {
  if (launches.length === 0) return ["There are no such launches of this wallet."];
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

function tokenLines(tokens: readonly Token[], style: Style, width: number | null): string[] {
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

function feeLines({ claims, unreadable }: ClaimList, style: Style, width: number | null): string[] {
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

function claimLines(data: ClaimAllData, style: Style, width: number | null): string[] {
  const { claims, claimedSOL, skipped, unreadable = [] } = data;
  const small = skipped.filter(({ reason }) => reason === "below_minimum");
  const left = small.map(({ ticker, claimableSOL }) => `${ticker} (${solText(claimableSOL)})`);
  const leftLine = left.length > 0 ? [`Left, less than the minimum: ${left.join(", ")}`] : [];
  if (claims.length === 0) {
    const tokens = unreadable.length > 0 ? "tokens that can be read" : "tokens";
    const fees = left.length > 0 ? "enough fees" : "fees";
    return [`Nothing to claim: none of this wallet's ${tokens} has ${fees}.`, ...leftLine];
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

function configLines(
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

/** Fees and rent can exceed what a claim paid: then the gain is below zero. */
function gainText(sol: number): string {
  return `${sol < 0 ? "-" : ""}${solText(Math.abs(sol))}`;
}

function venue(isMigrated: boolean): string {
  return isMigrated ? "pool" : "curve";
}

function lifetime(seconds: number): string {
  return seconds < 120 ? `good for ${seconds} s` : `good for ${Math.floor(seconds / 60)} min`;
}

/** @returns an ISO timestamp to the minute: `2026-11-21 09:30Z` */
function minute(timestamp: string): string {
  return timestamp.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, "$1 $2Z");
}
