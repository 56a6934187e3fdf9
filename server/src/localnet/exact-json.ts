/** ES2026's `JSON.rawJSON`, which TypeScript's ES2023 library does not have. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/** Writes JSON with bigints as plain integers of any size, as nodes write u64. */
export function stringifyExact(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" ? rawJSON(item.toString()) : item,
  );
}

/** Parses JSON. An integer that a double cannot hold exactly becomes a bigint. */
export function parseExact(text: string): unknown {
  const revive = (_: string, item: unknown, context?: { readonly source: string }): unknown =>
    typeof item === "number" && !Number.isSafeInteger(item) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context?.source ?? 0)
      : item;
  return JSON.parse(text, revive);
}
