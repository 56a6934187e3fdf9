import { expect, test } from "bun:test";
import { plain, plainJson, plainStrings, record, shorten, shortenMiddle, wrapped } from "./text.ts";

const asIs = (text: string) => text;

test("plain escapes what a terminal would obey or hide", () => {
  expect(plain("\x1b[2Jgone\x07\r\n")).toBe("\\u{1b}[2Jgone\\u{7}\\u{d}\\u{a}");
  expect(plain("\u202egnp.exe\u2069")).toBe("\\u{202e}gnp.exe\\u{2069}");
  expect(plain("\u009b31m")).toBe("\\u{9b}31m");
  expect(plain("a\u{e0041}\u2028\ud800")).toBe("a\\u{e0041}\\u{2028}\\u{d800}");
});

test("plain leaves the letters and emoji of all languages unchanged", () => {
  for (const text of ["Žluťoučký 日本 🐶 שלום", "👩‍👩‍👧‍👧 👍🏽 🏳️‍🌈 ❤️ 1️⃣", "हिन्दी ไทย e\u0301"]) {
    expect(plain(text)).toBe(text);
  }
});

test("plain keeps the joiners of emoji and escapes them elsewhere", () => {
  expect(plain("a\u200db 🐶\u200d 🐶\u200db a\ufe0f")).toBe(
    "a\\u{200d}b 🐶\\u{200d} 🐶\\u{200d}b a\\u{fe0f}",
  );
});

test("plainJson keeps the value for a program and has nothing that a terminal obeys", () => {
  const value = { "k\u009b": ["\u202e", "\u{e0041}", "a\n\x7f", 1, null], ü: "日本" };
  for (const indent of [undefined, 2]) {
    const json = plainJson(value, indent);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).toContain('"k\\u009b"');
    expect(json).toContain('"\\udb40\\udc41"');
    expect(json.split("\n")).toHaveLength(indent === undefined ? 1 : 10);
    expect(json).not.toMatch(/[\p{Cf}\x7f-\x9f]/u);
  }
});

test("plainStrings changes every string and nothing else", () => {
  const failure = new Error("\x07");
  expect(plainStrings({ a: ["\x07", 1, null], b: { c: "\x1b" }, failure })).toEqual({
    a: ["\\u{7}", 1, null],
    b: { c: "\\u{1b}" },
    failure,
  });
});

test("shorten counts terminal cells and never cuts within a letter", () => {
  expect(shorten("abcdef", 6)).toBe("abcdef");
  expect(shorten("abcdefg", 6)).toBe("abcde…");
  expect(shorten("日本日本", 6)).toBe("日本…");
  expect(shorten("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5)).toBe("👨‍👩‍👧👨‍👩‍👧…");
});

test("shortenMiddle keeps both ends of an address", () => {
  expect(shortenMiddle("abcdefghij", 10)).toBe("abcdefghij");
  expect(shortenMiddle("abcdefghij", 9)).toBe("abcd…ghij");
  expect(shortenMiddle("abcdefghij", 4)).toBe("ab…j");
  expect(shortenMiddle("abcdefghij", 1)).toBe("…");
});

test("record aligns the values in one column", () => {
  expect(
    record(
      [
        ["Mint", "m"],
        ["Event id", "e"],
      ],
      asIs,
    ),
  ).toEqual(["Mint      m", "Event id  e"]);
});

test("lines are broken between words, and a command stays whole", () => {
  const line = "hint: Run `tokenctl keygen --restore` to make one";
  expect(wrapped(`${line}\n  x`, 20)).toBe(
    "hint: Run `tokenctl keygen --restore`\nto make one\n  x",
  );
  expect(wrapped(line, null)).toBe(line);
});
