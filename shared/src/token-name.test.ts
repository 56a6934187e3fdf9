import { describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import * as fc from "fast-check";
import { LaunchRequestSchema } from "./contract/launch.ts";
import { byteLength, fitBytes, isTokenName, onChainNameOf } from "./token-name.ts";

const written = [
  "Agent Coin",
  "Žluťoučký kůň",
  "犬の帽子",
  "عملة الوكيل",
  "מטבע הסוכן",
  "می‌خواهم", // with a zero-width non-joiner, as Persian is spelt
  "क्‍ष", // with a zero-width joiner, as Hindi may be spelt
  "👩‍👩‍👧‍👧",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
  "1️⃣",
  "$",
  "noe\u0301l",
  "葛\u{e0100}飾", // with a selector of one shape of a character
  "র‍্যা", // with a joiner before a mark, as Bengali may be spelt
  "⠁⠛⠑⠝⠞⠀⠁",
];

describe("a name in any writing is accepted", () => {
  test.each(written)("such as %s", (name) => expect(isTokenName(name)).toBe(true));

  test("with letters of any of the world's scripts, and spaces", async () => {
    const letters = (first: number, last: number) =>
      fc.integer({ min: first, max: last }).map((code) => String.fromCodePoint(code));
    const letter = fc.oneof(
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }),
      letters(0xc0, 0x24f), // Latin
      letters(0x4e00, 0x9fff), // CJK
      letters(0x620, 0x64a), // Arabic
      letters(0x5d0, 0x5ea), // Hebrew
      letters(0x904, 0x939), // Devanagari
      letters(0x1f600, 0x1f64f), // emoji
      fc.constantFrom("👩‍🚀", "🏳️‍🌈", "👍🏽", "❤️"),
    );
    const word = fc
      .array(letter, { minLength: 1, maxLength: 12 })
      .map((all) => all.join("").trim())
      .filter((text) => text !== "");
    const name = fc
      .array(word, { minLength: 1, maxLength: 4 })
      .map((words) => words.join(" "))
      .filter((text) => [...text].length <= 255);
    await fc.assert(
      fc.property(name, (text) => {
        expect(Value.Check(LaunchRequestSchema.properties.name, text)).toBe(true);
      }),
    );
  });
});

describe("a name that people cannot read is refused", () => {
  test.each([
    ["nothing", ""],
    ["a space", " "],
    ["spaces of all widths", "\u00a0\u2000\u2009\u202f\u205f\u3000"],
    ["zero-width characters", "\u200b\u200c\u200d\u2060\ufeff"],
    ["fillers of Korean, which are letters", "\u115f\u1160\u3164\uffa0"],
    ["an empty shape", "\u2800"],
    ["an empty note", "\u{1d159}"],
    ["tags", "\u{e0041}\u{e007f}"],
    ["variation selectors", "\ufe0f\u{e0100}"],
    ["a soft hyphen", "\u00ad"],
    ["marks of annotations", "\ufff9\ufffb"],
    ["40 spaces before it", `${" ".repeat(40)}Agent Coin`],
    ["32 spaces before it", `${" ".repeat(32)}x`],
    // A reader sees one character, but it does not fit, so nothing visible goes on chain.
    ["31 bytes of spaces before a character of 3 bytes", `${" ".repeat(31)}犬`],
    ["30 spaces before a letter whose accent does not fit", `${" ".repeat(30)}e\u0301`],
    ["11 zero-width spaces before it", `${"\u200b".repeat(11)}Agent Coin`],
    ["blanks among hieroglyphs", "\u{13441}\u{13442}"],
    ["an accent without a letter", "\u0301"],
  ])("if it shows nothing: %s", (_, name) => expect(isTokenName(name)).toBe(false));

  // Each stands at an end or is doubled, as in no writing system.
  test.each([
    ["a space", " "],
    ["a wide space", "\u3000"],
    ["a filler of Korean", "\u3164"],
    ["an empty shape", "\u2800"],
    ["a zero-width space", "\u200b"],
    ["a joiner", "\u200d"],
    ["a non-joiner", "\u200c"],
    ["a tag", "\u{e0041}"],
    ["a soft hyphen", "\u00ad"],
    ["a blank among hieroglyphs", "\u{13441}"],
    ["half a blank among hieroglyphs", "\u{13442}"],
  ])("if it is padded with %s", (_, unseen) => {
    for (const name of [`${unseen}Coin`, `Coin${unseen}`]) expect(isTokenName(name)).toBe(false);
  });

  test.each(["\u0301Coin", "My \u0301Coin", "A\u200c\u200cB", "A\ufe0f\ufe0fB", "A\u200bB"])(
    "if a mark has nothing that it belongs to: %j",
    (name) => expect(isTokenName(name)).toBe(false),
  );

  test("if it has a control, bidirectional or replacement character or a line separator at any place", () => {
    const range = (first: number, last = first) =>
      Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));
    const never = [
      ...[...range(0x00, 0x1f), ...range(0x7f, 0x9f), ...range(0x2028, 0x202e)],
      ...["\u061c", "\u200e", "\u200f", ...range(0x2066, 0x2069), "\ufffd"],
    ];
    for (const character of never) {
      for (const name of written.flatMap((text) => [text + character, character + text])) {
        expect(isTokenName(name)).toBe(false);
      }
      expect(isTokenName(`a${character}b`)).toBe(false);
    }
  });

  test("unless it shows something in the 32 bytes that go on chain", async () => {
    const text = fc.string({ unit: fc.constantFrom(" ", "\u200b", "a", "犬", "\u0301", "👩‍🚀") });
    await fc.assert(
      fc.property(text, (name) => {
        const onChain = onChainNameOf({ name });
        expect(byteLength(onChain)).toBeLessThanOrEqual(32);
        const isShown = (shown: string) => shown !== "" && !/\u200b|(^| )\u0301|^ | $/.test(shown);
        expect(isTokenName(name)).toBe(isShown(onChain) && isShown(name));
      }),
      { numRuns: 500 },
    );
  });
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
