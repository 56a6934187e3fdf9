import type { LaunchStatus, Network } from "@tokenctl/sdk";
import { solText, tokenText } from "./amount.ts";
import { checkLines } from "./render-check.ts";
import { eventLines } from "./render-event.ts";
import { historyCsv, historyJsonLines, historyLines } from "./render-history.ts";
import {
  claimLines,
  configLines,
  feeLines,
  launchListLines,
  NONE,
  settingLines,
  statusPaint,
  tokenLines,
  venue,
} from "./render-lists.ts";
import { deliveryLines, webhookLines } from "./render-webhooks.ts";
import type { Result } from "./result.ts";
import type { Style } from "./style.ts";
import { plainJson, plainStrings, record } from "./text.ts";
import { waitingText } from "./waiting-text.ts";

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
  const { data, network } = result;
  if (json) return `${plainJson(network ? { ...data, network } : data, indent)}\n`;
  return `${lines(plainStrings(result), style, width).join("\n")}\n`;
}

function lines(result: Result, style: Style, width: number | null): string[] {
  const { kind, data, network, filtered } = result;
  if (filtered !== undefined) return [filtered];
  switch (kind) {
    case "keygen":
      return [data.address, ...(data.seedPhrase === undefined ? [] : [data.seedPhrase])];
    case "text":
      return [data.text];
    case "config":
      return configLines(data, style, width);
    case "settings":
      return settingLines(data.settings, style, width);
    case "balance":
      return record(
        [["Balance", solText(data.balanceSOL)], ["Wallet", data.wallet], ...networkRow(network)],
        style.bold,
      );
    case "page":
      return [data.url];
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
          ...(data.imageUrl === undefined ? [] : [["Image", data.imageUrl] as const]),
          ...(data.website === undefined ? [] : [["Website", data.website] as const]),
          ...(data.twitter === undefined ? [] : [["X", data.twitter] as const]),
          ...(data.telegram === undefined ? [] : [["Telegram", data.telegram] as const]),
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
      return eventLines(data, style, width);
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

function networkRow(network: Network | undefined): (readonly [string, string])[] {
  return network === undefined ? [] : [["Network", network]];
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

/** Fees and rent can exceed what a claim paid: then the gain is below zero. */
function gainText(sol: number): string {
  return `${sol < 0 ? "-" : ""}${solText(Math.abs(sol))}`;
}

function lifetime(seconds: number): string {
  return seconds < 120 ? `good for ${seconds} s` : `good for ${Math.floor(seconds / 60)} min`;
}
