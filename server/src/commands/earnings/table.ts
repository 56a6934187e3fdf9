/** A cell, and `number`s to the right. */
export type Cell = string | { readonly right: string };

/** @returns rows whose columns are as wide as their widest cell, two spaces apart */
export function table(rows: readonly (readonly Cell[])[]): string {
  const textOf = (cell: Cell) => (typeof cell === "string" ? cell : cell.right);
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, textOf(cell).length);
    });
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => {
          const width = widths[index] ?? 0;
          return typeof cell === "string" ? cell.padEnd(width) : cell.right.padStart(width);
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** @returns comma-separated lines; values hold no commas, quotes or line breaks */
export function csv(rows: readonly (readonly (string | bigint | number | boolean)[])[]): string {
  return rows.map((row) => row.join(",")).join("\n");
}

/** @returns JSON in which lamports are decimal texts, as a double does not hold all of them */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? String(part) : part));
}
