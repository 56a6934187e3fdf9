import { expect, test } from "bun:test";
import stringWidth from "string-width";
import { type Cell, type Column, rowsOf } from "./desk.ts";
import { solColumn, solText, tokenText, waitText } from "./format.ts";
import { shorten, shortenMiddle, table, wrapped } from "./layout.ts";
import { MINT } from "./testing/records.ts";
import { createStyle, plain, plainJson, plainStrings } from "./text.ts";

const style = createStyle(false, {});
const columnsOf = (...titles: readonly string[]) => titles.map((title) => ({ title }));

const columns: readonly Column[] = [
  { title: "TICKER" },
  { title: "NAME", shorten: "end" },
  { title: "MINT", shorten: "middle" },
  { title: "DEPLOYED" },
  { title: "SOL" },
];
const cells: readonly (readonly Cell[])[] = [
  ["LONGTICKER", "a name of thirty-two characters!", MINT, "2026-11-21 09:30Z", 1_500_000_000n],
  ["WIF", "日本の名前はとても長いので短くします、はい", MINT, "2026-11-21 09:30Z", 10_250_000_000n],
];
const at = (width: number | null) => table({ columns, cells }, style, width);

test("columns stand two cells apart, numbers at the right, and a wide letter takes two cells", () => {
  const cells: Cell[][] = [
    ["日本", 1, "red", "x"],
    ["a", 10, "", "y"],
  ];
  const lines = table({ columns: columnsOf("NAME", "NO.", "A", "B"), cells }, style, null);
  expect(lines).toEqual(["NAME  NO.  A    B", "日本    1  red  x", "a      10       y"]);
});

test("a pipe gets all of a table, and a terminal where it fits too", () => {
  expect(at(200)).toEqual(at(null));
  for (const text of [...(cells[1] ?? []).slice(0, 4), " 1.50 SOL", "10.25 SOL"]) {
    expect(at(null).join("\n")).toContain(String(text));
  }
});

test("a table that is too wide loses the middle of addresses and the end of names", () => {
  const lines = at(65);
  expect(lines[0]).toMatch(/^TICKER +NAME +MINT +DEPLOYED +SOL$/);
  expect(lines[1]).toMatch(
    /^LONGTICKER {2}a name of t… {2}7xKX…gAsU {2}2026-11-21 09:30Z +1.50 SOL$/,
  );
  expect(lines.map((line) => stringWidth(line))).toEqual([65, 65, 65]);
});

test("a table loses no more than its terminal's width makes necessary", () => {
  expect(at(80)[1]).toMatch(/^LONGTICKER {2}a name of thirty-two chara… {2}7xKX…gAsU {2}2026/);
  expect(at(100)[1]).toMatch(/^LONGTICKER {2}a name of thirty-two characters! +7xKX…gAsU {2}2026/);
  expect(at(131)).toEqual(at(null));
  const whys = [["failed", "the service refused it for a reason of forty letters", MINT]];
  const described = [{ title: "STATUS" }, { title: "WHY", shorten: "end" as const }];
  const all = [...described, { title: "MINT", shorten: "middle" as const }];
  const [, line] = table({ columns: all, cells: whys }, style, 75);
  // Part of an address would be of no use.
  expect(line).toBe(`failed  ${whys[0]?.[1]}  7xKX…gAsU`);
});

test("a table that does not fit so becomes records", () => {
  expect(at(60)).toEqual([
    "TICKER    LONGTICKER",
    "NAME      a name of thirty-two characters!",
    `MINT      ${MINT}`,
    "DEPLOYED  2026-11-21 09:30Z",
    "SOL       1.50 SOL",
    "",
    "TICKER    WIF",
    "NAME      日本の名前はとても長いので短くします、はい",
    `MINT      ${MINT}`,
    "DEPLOYED  2026-11-21 09:30Z",
    "SOL       10.25 SOL",
  ]);
  expect(table({ columns: columnsOf("A"), cells: [["b"]] }, style, 10)).toEqual(["A", "b"]);
});

test("no width makes a table wider than its terminal", () => {
  // An address stays whole below its own 44 cells.
  for (let width = 44; width < 220; width++) {
    for (const line of at(width)) expect(stringWidth(line)).toBeLessThanOrEqual(width);
  }
});

test("lamports of a column are SOL with their points in one place, and a total sums them", () => {
  const rows = [
    { name: "a", lamports: 1_500_000_000n },
    { name: "b", lamports: null },
    { name: "c", lamports: 3n },
  ];
  const amounts = rowsOf<(typeof rows)[number]>(
    rows,
    [
      ["NAME", ({ name }) => name],
      ["SOL", ({ lamports }) => lamports],
    ],
    { total: true },
  );
  expect(table(amounts, style, null)).toEqual([
    "NAME               SOL",
    "a      1.500000000 SOL",
    "b                    -",
    "c      0.000000003 SOL",
    "Total  1.500000003 SOL",
  ]);
});

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

test("plainStrings changes every name and string and nothing else", () => {
  const failure = new Error("\x07");
  const given: object = { a: ["\x07", 1, null], b: { "c\x07": "\x1b" }, failure };
  expect(plainStrings(given)).toEqual({
    a: ["\\u{7}", 1, null],
    b: { "c\\u{7}": "\\u{1b}" },
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

test("a text of a megabyte is broken into lines, whatever its words are", () => {
  expect(wrapped("a ".repeat(500_000), 79).split("\n")).toHaveLength(12_501);
  const [long, ticks] = ["x".repeat(81), "` "];
  expect(wrapped(`${long} `.repeat(12_000).trimEnd(), 80).split("\n")).toHaveLength(1);
  expect(wrapped(ticks.repeat(500_001), 80)).toContain("` ` `");
});

test("lines are broken between words, and a command stays whole", () => {
  const line = "hint: Run `tokenctl keygen --force` to make one";
  expect(wrapped(`${line}\n  x`, 20)).toBe("hint: Run `tokenctl keygen --force`\nto make one\n  x");
  expect(wrapped(line, null)).toBe(line);
});

test("solText writes plain digits and the unit, however small the amount", () => {
  expect(solText(0.0123)).toBe("0.0123 SOL");
  expect(solText(5e-9)).toBe("0.000000005 SOL");
  expect(solText(3)).toBe("3 SOL");
});

test("solColumn aligns the decimal points", () => {
  expect(solColumn([1_500_000_000n, 12_345_678n, 0n])).toEqual([
    "1.500000000 SOL",
    "0.012345678 SOL",
    "0.000000000 SOL",
  ]);
  expect(solColumn([2_000_000_000n, 0n])).toEqual(["2 SOL", "0 SOL"]);
  expect(solColumn([])).toEqual([]);
});

test("tokenText writes millionths as tokens, with digits in groups of three", () => {
  expect(tokenText("1234567000000")).toBe("1,234,567 tokens");
  expect(tokenText("12345678901")).toBe("12,345.678901 tokens");
  expect(tokenText("1")).toBe("0.000001 tokens");
});

test.each([
  [0, "in 0 s"],
  [29.2, "in 30 s"],
  [90, "in 90 s"],
  [91, "in 2 min"],
  [5_400, "in 90 min"],
  [5_401, "in 2 h"],
  [16_200, "in 5 h"],
  [18_000, "in 5 h"],
  [86_400, "in 24 h"],
])("a wait of %d s is shown as `%s`", (seconds, text) => {
  expect(waitText(seconds)).toBe(text);
});
