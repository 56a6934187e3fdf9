import stringWidth from "string-width";
import type { EventData, Field, Result } from "./desk.ts";
import { second, solText } from "./format.ts";
import { record, shortenMiddle, shownCell, table } from "./layout.ts";
import { createStyle, plainJson, plainStrings, type Style } from "./text.ts";

// Each function first escapes texts, so nothing from a server or a file reaches a terminal raw.

export interface Look {
  readonly json: boolean;
  readonly style: Style;
  /** The terminal's width in cells; null if stdout is not a terminal. */
  readonly width: number | null;
}

/** @param isOneOfMany whether JSON is on one line, for programs that read line by line */
export function renderResult(
  { data, raw, fields, table: rows, event, lines = [] }: Result,
  { json, style, width }: Look,
  isOneOfMany = false,
): string {
  if (raw !== undefined) return raw;
  if (json) return `${plainJson(data, isOneOfMany ? undefined : 2)}\n`;
  const shown = [
    ...(event ? eventLines(plainStrings(event), style, width) : []),
    ...(fields ? fieldLines(plainStrings(fields), style, width) : []),
    ...(rows ? table(plainStrings(rows), style, width) : []),
    ...plainStrings(lines),
  ];
  return `${shown.join("\n")}\n`;
}

function fieldLines(fields: readonly Field[], style: Style, width: number | null): string[] {
  const shown = fields.flatMap(([label, value]) => {
    if (value === undefined) return [];
    const { text, paint } = shownCell(value, style);
    return [[label, paint(text)] as const];
  });
  return record(shown, style.bold, width);
}

export function factLines(facts: readonly Field[] = [], width: number | null = null): string {
  const lines = fieldLines(plainStrings(facts), createStyle(false, {}), width);
  return lines.map((line) => `${line}\n`).join("");
}

/** A hash or an address gets at least this many cells. */
const LEAST_ABOUT = 9;
/** Below this width the date is left out. */
const NARROW = 60;

/** Returns one line, or two in a narrow terminal. Columns fit the longest type and ticker. */
export function eventLines(event: EventData, style: Style, width: number | null): string[] {
  const { id, type, timestamp, data } = event;
  const isBad = type === "launch.failed" || type === "launch.rate_limited";
  const paint = isBad ? style.red : type === "claim.expired" ? style.yellow : style.green;
  const hash = type === "launch.succeeded" ? null : data.transactionHash;
  const about = hash ?? data.tokenMint ?? data.eventId;
  const { claimedSOL, claimableSOL = claimedSOL } = event;
  const amount = [
    ...(claimableSOL === undefined ? [] : [solText(claimableSOL)]),
    ...(data.costSOL === undefined ? [] : [`cost ${solText(data.costSOL)}`]),
  ];
  // A terminal shows all times in one style. The day is nearly always today.
  const time =
    width === null ? timestamp : width < NARROW ? second(timestamp).slice(11) : second(timestamp);
  const line = (...cells: readonly string[]) => cells.join("  ");
  const painted = (text: string) => text.replace(type, paint);
  const fits = (text: string) => width === null || stringWidth(text) <= width;

  const start = line(time, String(id).padStart(5), type.padEnd(19), data.ticker.padEnd(10));
  const whole = line(start, about, ...amount);
  if (fits(whole)) return [painted(whole)];
  const left = (width ?? 0) - stringWidth(line(start, "", ...amount));
  if (left >= LEAST_ABOUT) return [painted(line(start, shortenMiddle(about, left), ...amount))];
  const short = line(time, type.padEnd(19), data.ticker.padEnd(10), ...amount).trimEnd();
  if (fits(short)) return [painted(short)];
  return [painted(line(time, type)), line("", data.ticker, ...amount)];
}
