import type { TProperties } from "@sinclair/typebox";
import type { Field, Result, View } from "./desk.ts";
import { type Explanation, serverFaults } from "./explain-error.ts";
import { flagOf } from "./grammar/field.ts";
import { eventLines } from "./render-event.ts";
import { createStyle, type Style } from "./style.ts";
import { shownCell, table } from "./table.ts";
import { plain, plainJson, plainStrings, record } from "./text.ts";

// Each function first escapes texts, so nothing from a server or a file reaches a terminal raw.

export interface Look {
  readonly json: boolean;
  readonly style: Style;
  /** The terminal's width in cells; null if stdout is not a terminal. */
  readonly width: number | null;
}

/** @param isOneOfMany whether JSON is on one line, for programs that read line by line */
export function renderResult(
  { data, view }: Result,
  { json, style, width }: Look,
  isOneOfMany = false,
): string {
  if ("raw" in view) return view.raw;
  if (json) return `${plainJson(data, isOneOfMany ? undefined : 2)}\n`;
  return `${linesOf(plainStrings(view), style, width).join("\n")}\n`;
}

function linesOf(view: Exclude<View, { raw: string }>, style: Style, width: number | null) {
  if ("event" in view) return eventLines(view.event, style, width);
  if ("table" in view) return [...table(view.table, style, width), ...(view.after ?? [])];
  if (!("fields" in view)) return view;
  return fieldLines(view.fields, style, width);
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

/** Errors that the server's operator has to see, so their request id is shown. */
const FAULTS: readonly string[] = [...serverFaults, "claim_unsettled"];

/** Renders an error for stderr, as JSON or text. @param fields the command's, to name its flags */
export function renderError(
  explanation: Explanation,
  { json, style, fields = {} }: Omit<Look, "width"> & { readonly fields?: TProperties },
): string {
  if (json) return `${plainJson(explanation)}\n`;
  const { code, error, hint, details = [], requestId } = plainStrings(explanation);
  const nameOf = (field: string) => {
    if (field.startsWith("receivers/")) return "--to";
    const schema = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return schema ? flagOf(field, schema) : field;
  };
  const text = [
    `${style.red("error:")} ${error}`,
    ...details.map(({ field, message }) => `  ${nameOf(field)} ${message}`),
    ...(hint === undefined ? [] : [`${style.bold("hint:")} ${hint}`]),
    ...(FAULTS.includes(code) && requestId !== undefined ? [`request id: ${requestId}`] : []),
  ];
  return `${text.join("\n")}\n`;
}

export function renderStack(stack: string): string {
  return `${stack.split("\n").map(plain).join("\n")}\n`;
}

export function renderWarning(text: string, json: boolean, style: Style): string {
  return json
    ? `${plainJson({ warning: text })}\n`
    : `${style.yellow("warning:")} ${plain(text)}\n`;
}

export function renderNotice(text: string, style: Style): string {
  return `${style.dim(plain(text))}\n`;
}
