import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";

/** @returns how an error answer differs from the table of error codes; null if it does not */
export function differsFromTable(
  status: number,
  { code, error }: { readonly code?: string; readonly error?: string },
): string | null {
  if (code === undefined || !isErrorCode(code)) return `no code of the table: ${code}`;
  const entry = errorCodes[code];
  if (status !== entry.status) return `${code} with ${status} instead of ${entry.status}`;
  return fitsText(error ?? "", entry.text) ? null : `${code} with the text "${error}"`;
}

/** @param pattern a text of the table, in which `<…>` stands for what varies */
function fitsText(text: string, pattern: string): boolean {
  const [before = "", after] = pattern.split(/<[^>]+>/);
  if (after === undefined) return text === pattern;
  const isLonger = text.length > before.length + after.length;
  return isLonger && text.startsWith(before) && text.endsWith(after);
}
