import { type Explanation, serverFaults } from "./explain.ts";
import type { Style } from "./style.ts";
import { plain, plainJson, plainStrings } from "./text.ts";

// Each function makes its texts plain first, so that nothing that a server or a file says reaches a
// terminal as it is.

/** Codes of errors that the server's operator has to look into: they come with the request id. */
const FAULTS: readonly string[] = [...serverFaults, "claim_unsettled"];

/** @returns an error for stderr: one line of JSON, or words for people */
export function renderError(explanation: Explanation, json: boolean, style: Style): string {
  if (json) return `${plainJson(explanation)}\n`;
  const { code, error, hint, details = [], requestId } = plainStrings(explanation);
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

/** @returns the text beside a spinner */
export function renderProgress(text: string): string {
  return plain(text);
}

/** @returns the flag that sets a field of the request, for example `--image-url` for `imageUrl` */
function flagOf(field: string): string {
  const flags: Readonly<Record<string, string>> = {
    name: "--name",
    onChainName: "--on-chain-name",
    ticker: "--ticker",
    description: "--description",
    imageUrl: "--image-url",
    website: "--website",
    twitter: "--twitter",
    telegram: "--telegram",
    sol: "--sol",
  };
  return flags[field] ?? field;
}
