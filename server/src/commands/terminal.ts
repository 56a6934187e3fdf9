import { createInterface } from "node:readline/promises";

/** A cell, aligned to the left or to the right. Null is shown as a dash. */
export type Cell = string | number | null | { readonly right: string };

/** Escapes control characters in agents' texts as JSON does. */
export function table(rows: readonly (readonly Cell[])[]): string {
  const isRight = (cell: Cell) => typeof cell === "object" && cell !== null;
  const texts = rows.map((row) => row.map((cell) => plain(isRight(cell) ? cell.right : cell)));
  const widths: number[] = [];
  for (const row of texts) {
    for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
  }
  const lines = rows.map((row, index) =>
    row
      .map((cell, at) => {
        const [text = "", width = 0] = [texts[index]?.[at], widths[at]];
        return isRight(cell) ? text.padStart(width) : text.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  return lines.join("\n");
}

function plain(cell: string | number | null): string {
  return String(cell ?? "-").replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns JSON with lamports as decimal texts, because a double does not hold all of them. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
}

export async function confirm(question: string, nothingDone: string): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question(`${question} [y/N] `);
  lines.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error(nothingDone);
}
