import type { AgentEvent, ClaimList, LaunchStatus, Token } from "@tokenctl/sdk";
import { solColumn, solText, tokenText, toLamports } from "./amount.ts";
import { checkLines } from "./render-check.ts";
import { historyCsv, historyJsonLines, historyLines } from "./render-history.ts";
import { deliveryLines, webhookLines } from "./render-webhooks.ts";
import type { ClaimAllData, Result } from "./result.ts";
import type { Style } from "./style.ts";
import { plainJson, plainStrings, record, shorten, table } from "./text.ts";

/** Longer names are cut in lists; `tokenctl token` shows them whole. */
const NAME_CELLS = 32;
const NONE = "-";

/**
 * Makes every string plain first, so that no field of a server's answer reaches a terminal as it is.
 *
 * @returns a result for stdout: JSON, a table for people, or the lines that the command was asked for
 */
export function renderResult(result: Result, json: boolean, style: Style): string {
  if (result.kind === "history" && result.lines) {
    const { claims } = result.data;
    return result.lines === "csv" ? historyCsv(claims) : historyJsonLines(claims);
  }
  // One of many: a line for each, for programs that read line by line.
  const indent = result.kind === "event" ? undefined : 2;
  if (json) return `${plainJson(result.data, indent)}\n`;
  return `${lines(plainStrings(result), style).join("\n")}\n`;
}

function lines(result: Result, style: Style): string[] {
  const { kind, data } = result;
  switch (kind) {
    case "keygen":
    case "address":
      return [data.address];
    case "session":
      return [data.token];
    case "login":
      return record(
        [
          ["Wallet", data.wallet],
          ["Server", data.apiUrl],
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
      return record([["Event id", data.eventId]], style.bold);
    case "check":
      return checkLines(data, style);
    case "launch":
      return launchLines(data, style);
    case "tokens":
      return tokenLines(data.tokens, style);
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
      return feeLines(data, style);
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
      return claimLines(data, style);
    case "history":
      return historyLines(data.claims, style.bold);
    case "health":
      return record(
        [
          ["Server", data.ok ? style.green("ok") : style.red("unhealthy")],
          ["Database", data.db],
          ...(data.network === undefined ? [] : [["Network", data.network] as const]),
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
      return webhookLines(data.webhooks, style);
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
      return deliveryLines([data], style);
    case "deliveries":
      return deliveryLines(data.deliveries, style);
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

function launchLines(launch: LaunchStatus, style: Style): string[] {
  const paint = { pending: style.yellow, success: style.green, failed: style.red };
  const status = launch.status === "rate_limited" ? style.red : paint[launch.status];
  return record(
    [
      ["Status", status(launch.status)],
      ["Ticker", launch.ticker],
      ["Mint", launch.tokenMint ?? NONE],
      ["Pool", launch.poolAddress ?? NONE],
      ["Processed", launch.processedAt ?? NONE],
      ["Event id", launch.eventId],
      ...(launch.error === null ? [] : [["Error", launch.error] as const]),
    ],
    style.bold,
  );
}

function tokenLines(tokens: readonly Token[], style: Style): string[] {
  if (tokens.length === 0) return ["This wallet has no tokens yet."];
  return table(
    [
      { title: "TICKER" },
      { title: "NAME" },
      { title: "MINT" },
      { title: "DEPLOYED" },
      { title: "CLAIMED" },
    ],
    tokens.map((token) => [
      token.ticker,
      shorten(token.tokenName, NAME_CELLS),
      token.tokenMint,
      minute(token.deployedAt),
      token.claimedAt === null ? "never" : minute(token.claimedAt),
    ]),
    style.bold,
  );
}

function feeLines({ claims, unreadable }: ClaimList, style: Style): string[] {
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
      { title: "MINT" },
      { title: "TRADES ON" },
      { title: "CLAIMABLE (CURVE)", align: "right" },
      { title: "CLAIMABLE (POOL)", align: "right" },
      { title: "CLAIMED", align: "right" },
      { title: "EARNED", align: "right" },
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
  );
}

function claimLines(data: ClaimAllData, style: Style): string[] {
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
      { title: "MINT" },
      { title: "CLAIMED", align: "right" },
      { title: "TRANSACTION" },
    ],
    [
      ...claims.map((claim, index) => [
        claim.ticker,
        claim.tokenMint,
        claim.error === null ? (amounts[index] ?? "") : NONE,
        claim.transactionHash ?? style.red(`failed: ${claim.error}`),
      ]),
      ...(claims.length > 1 ? [["Total", "", amounts.at(-1) ?? "", ""]] : []),
    ],
    style.bold,
  );
  return [...lines, ...leftLine];
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
