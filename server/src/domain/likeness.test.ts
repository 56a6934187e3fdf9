import { expect, test } from "bun:test";
import { likenessOf, likenessWarnings } from "./likeness.ts";

test.each([
  ["SOL", "Anything", "Its ticker looks like SOL, which it is not"],
  ["S0L", "Anything", "Its ticker looks like SOL, which it is not"],
  ["ABC", "Ѕоlаnа", "Its name looks like Solana, which it is not"],
  ["ABC", "SOLANA", "Its name looks like Solana, which it is not"],
  ["ABC", "U S D - C", "Its name looks like USDC, which it is not"],
  ["ABC", "ＵＳＤＣ", "Its name looks like USDC, which it is not"],
  ["ABC", "UŚDC", "Its name looks like USDC, which it is not"],
  ["ABC", "The 0fficial coin", "Its name says “official”: anyone can write that"],
  ["ABC", "Vеrifiеd", "Its name says “verified”: anyone can write that"],
])("%s, %s is warned of", (ticker, name, warning) => {
  expect(likenessWarnings({ ticker, name }, null)).toEqual([warning]);
});

test.each(["Solar", "Sold", "Usdance", "My coin", "Ⅻ", "币"])("%s is not warned of", (name) => {
  expect(likenessWarnings({ ticker: "ABC", name }, null)).toEqual([]);
});

test("an older token that looks the same is named", () => {
  expect(likenessWarnings({ ticker: "ABC", name: "My coin" }, "mint")).toEqual([
    "Its name looks like that of an older token of this service, mint",
  ]);
});

test("a small letter is folded as it is, not only as its capital", () => {
  expect(likenessOf("Sol\u{251}na")).toBe(likenessOf("Solana"));
});
