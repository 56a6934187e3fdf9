/** How an amount may differ from the approved one; all else must be the same. */
type Rule = "same" | "less" | "more";

/** Rules for a field and everything in it, keyed by the field's name. */
const RULES: Readonly<Record<string, Rule>> = {
  networkFeeLamports: "less",
  rentLamports: "less",
  createdAccounts: "less",
  sponsor: "less",
  receivers: "more",
  costSOL: "less",
};

/**
 * Returns whether one approval also covers another of its kind: `next` must have the same object,
 * cost no more, and pay each receiver no less.
 */
export function covers(approved: unknown, next: unknown, rule: Rule = "same"): boolean {
  if (typeof approved === "object" && approved !== null) {
    if (typeof next !== "object" || next === null) return false;
    const keys = Object.keys(approved);
    return (
      keys.length === Object.keys(next).length &&
      keys.every((key) =>
        covers(Reflect.get(approved, key), Reflect.get(next, key), RULES[key] ?? rule),
      )
    );
  }
  const isAmount = typeof approved === "bigint" || typeof approved === "number";
  if (!isAmount || typeof next !== typeof approved) return Object.is(approved, next);
  if (rule === "less") return (next as bigint) <= approved;
  return rule === "more" ? (next as bigint) >= approved : next === approved;
}
