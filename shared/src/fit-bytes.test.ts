import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { byteLength, fitBytes } from "./fit-bytes.ts";

test("a text that fits stays as it is", () => {
  expect(fitBytes("Agent Coin", 32)).toBe("Agent Coin");
  expect(fitBytes("ABCDEFGHIJ", 10)).toBe("ABCDEFGHIJ");
});

test("a text is cut between characters, not bytes", () => {
  expect(fitBytes("Ünïcödé", 5)).toBe("Ünï");
  expect(fitBytes("Ünïcödé", 4)).toBe("Ün");
});

test("a cut never splits what a reader sees as one character", () => {
  const family = "👩‍👩‍👧‍👧";
  expect(byteLength(family)).toBe(25);
  expect(fitBytes(`ab${family}`, 26)).toBe("ab");
  expect(fitBytes(`${family}cd`, 26)).toBe(`${family}c`);
  expect(fitBytes("noe\u0301l", 4)).toBe("no");
});

test("a first character that is too long alone is cut between code points", () => {
  expect(fitBytes(`e${"\u0301".repeat(40)}`, 32)).toBe(`e${"\u0301".repeat(15)}`);
});

test("a cut leaves no space at the end", () => {
  expect(fitBytes("one two", 4)).toBe("one");
});

test("a cut of any text fits, is its beginning, and is valid Unicode", async () => {
  await fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 255 }), (text) => {
      const cut = fitBytes(text, 32);
      expect(byteLength(cut)).toBeLessThanOrEqual(32);
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.isWellFormed()).toBe(text.isWellFormed());
    }),
    { numRuns: 200 },
  );
});
