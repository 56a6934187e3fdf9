import type { Field, Result } from "./desk.ts";
import { record, table, textOf } from "./layout.ts";
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
  { data, raw, fields, table: rows, lines = [] }: Result,
  { json, style, width }: Look,
  isOneOfMany = false,
): string {
  if (raw !== undefined) return raw;
  if (json) return `${plainJson(data, isOneOfMany ? undefined : 2)}\n`;
  const shown = [
    ...(fields ? fieldLines(plainStrings(fields), style, width) : []),
    ...(rows ? table(plainStrings(rows), style, width) : []),
    ...plainStrings(lines),
  ];
  return `${shown.join("\n")}\n`;
}

function fieldLines(fields: readonly Field[], style: Style, width: number | null): string[] {
  const shown = fields.flatMap(([label, value]) => {
    if (value === undefined) return [];
    return [[label, textOf(value)] as const];
  });
  return record(shown, style.bold, width);
}

export function factLines(facts: readonly Field[] = [], width: number | null = null): string {
  const lines = fieldLines(plainStrings(facts), createStyle(false, {}), width);
  return lines.map((line) => `${line}\n`).join("");
}
