import { expect, test } from "bun:test";
import fc from "fast-check";
import { escapeText, unescapeText } from "./escaped-text.ts";

const pieces = fc.constantFrom("\0", "\u{F8FF}", "0", "1", "a", "🚀");

test("every text comes back as it was, and PostgreSQL gets no U+0000", () => {
  fc.assert(
    fc.property(fc.array(pieces), (characters) => {
      const text = characters.join("");
      expect(escapeText(text)).not.toContain("\0");
      expect(unescapeText(escapeText(text))).toBe(text);
    }),
  );
});

test("a text without such characters is stored as it is", () => {
  expect(escapeText("Ünïcode 🚀 \\0")).toBe("Ünïcode 🚀 \\0");
});
