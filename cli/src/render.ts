import type { Result, View } from "./context.ts";
import { type Explanation, serverFaults } from "./explain.ts";
import { eventLines } from "./render-event.ts";
import type { Style } from "./style.ts";
import { shownCell, table } from "./table.ts";
import { plain, plainJson, plainStrings, record } from "./text.ts";

// Each function makes its texts plain first, so that nothing that a server or a file says reaches a
// terminal as it is.

/** Where a result goes, and how. */
export interface Look {
  readonly json: boolean;
  readonly style: Style;
  /** The terminal's cells; null if stdout is none. */
  readonly width: number | null;
}

/**
 * @param isOneOfMany whether JSON takes one line, for programs that read line by line
 * @returns a result for stdout
 */
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
  return record(fields, style.bold);
}

/** Codes of errors that the server's operator has to look into: they come with the request id. */
const FAULTS: readonly string[] = [...serverFaults, "claim_unsettled"];

/** The fields of a request whose flag has another name. */
const FLAGS: Readonly<Record<string, string>> = {
  onChainName: "--on-chain-name",
  imageUrl: "--image-url",
};
const OWN_FLAGS = ["name", "ticker", "description", "website", "twitter", "telegram", "sol"];

/** @returns an error for stderr: one line of JSON, or words for people */
export function renderError(explanation: Explanation, json: boolean, style: Style): string {
  if (json) return `${plainJson(explanation)}\n`;
  const { code, error, hint, details = [], requestId } = plainStrings(explanation);
  const flagOf = (field: string) =>
    OWN_FLAGS.includes(field) ? `--${field}` : (FLAGS[field] ?? field);
  const text = [
    `${style.red("error:")} ${error}`,
    ...details.map(({ field, message }) => `  ${flagOf(field)} ${message}`),
    ...(hint === undefined ? [] : [`${style.bold("hint:")} ${hint}`]),
    ...(FAULTS.includes(code) && requestId !== undefined ? [`request id: ${requestId}`] : []),
  ];
  return `${text.join("\n")}\n`;
}

/** @returns an error's stack trace for stderr */
export function renderStack(stack: string): string {
  return `${stack.split("\n").map(plain).join("\n")}\n`;
}

/** @returns a warning for stderr */
export function renderWarning(text: string, json: boolean, style: Style): string {
  return json
    ? `${plainJson({ warning: text })}\n`
    : `${style.yellow("warning:")} ${plain(text)}\n`;
}

/** @returns a notice for a terminal */
export function renderNotice(text: string, style: Style): string {
  return `${style.dim(plain(text))}\n`;
}
