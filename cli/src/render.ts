import type { Result, View } from "./context.ts";
import { type Explanation, serverFaults } from "./explain-error.ts";
import { eventLines } from "./render-event.ts";
import type { Style } from "./style.ts";
import { shownCell, table } from "./table.ts";
import { plain, plainJson, plainStrings, record } from "./text.ts";

// Each function escapes its texts first, so that a terminal gets none from a server or a file unchanged.

/** Where a result goes, and how. */
export interface Look {
  readonly json: boolean;
  readonly style: Style;
  /** The terminal's cells; null if stdout is not a terminal. */
  readonly width: number | null;
}

/** @param isOneOfMany whether JSON takes one line, for programs that read line by line */
export function renderResult(
  { data, view, network }: Result,
  { json, style, width }: Look,
  isOneOfMany = false,
): string {
  if ("raw" in view) return view.raw;
  if (json) {
    return `${plainJson(network ? { ...data, network } : data, isOneOfMany ? undefined : 2)}\n`;
  }
  return `${linesOf(plainStrings(view), style, width).join("\n")}\n`;
}

function linesOf(view: Exclude<View, { raw: string }>, style: Style, width: number | null) {
  if ("event" in view) return eventLines(view.event, style, width);
  if ("table" in view) return [...table(view.table, style, width), ...(view.after ?? [])];
  if (!("fields" in view)) return view;
  const fields = view.fields.flatMap(([label, value]) => {
    if (value === undefined) return [];
    const { text, paint } = shownCell(value, style);
    return [[label, paint(text)] as const];
  });
  return record(fields, style.bold, width);
}

/** Errors for the server's operator: they are shown with the request id. */
const FAULTS: readonly string[] = [...serverFaults, "claim_unsettled"];

/** Fields of a request whose flags have other names. */
const FLAGS: Readonly<Record<string, string>> = {
  onChainName: "--on-chain-name",
  imageUrl: "--image-url",
};
const OWN_FLAGS = ["name", "ticker", "description", "website", "twitter", "telegram", "sol"];

/** @returns an error for stderr: a line of JSON, or text for people */
export function renderError(explanation: Explanation, json: boolean, style: Style): string {
  if (json) return `${plainJson(explanation)}\n`;
  const { code, error, hint, details = [], requestId } = plainStrings(explanation);
  const flagOf = (field: string) => {
    if (field.startsWith("receivers/")) return "--to";
    return OWN_FLAGS.includes(field) ? `--${field}` : (FLAGS[field] ?? field);
  };
  const text = [
    `${style.red("error:")} ${error}`,
    ...details.map(({ field, message }) => `  ${flagOf(field)} ${message}`),
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
