import { expect, test } from "bun:test";
import stringWidth from "string-width";
import { createStyle } from "./style.ts";
import { type Cell, type Column, rowsOf, table } from "./table.ts";
import { MINT } from "./testing/records.ts";

const plainly = createStyle(false, {});
const columnsOf = (...titles: readonly string[]) => titles.map((title) => ({ title }));

const columns: readonly Column[] = [
  { title: "TICKER" },
  { title: "NAME", shorten: "end", dropFirst: 1 },
  { title: "MINT", shorten: "middle" },
  { title: "DEPLOYED", dropFirst: 2 },
  { title: "SOL" },
];
const cells: readonly (readonly Cell[])[] = [
  ["LONGTICKER", "a name of thirty-two characters!", MINT, "2026-11-21 09:30Z", 1_500_000_000n],
  ["WIF", "日本の名前はとても長いので短くします、はい", MINT, "2026-11-21 09:30Z", 10_250_000_000n],
];
const at = (width: number | null) => table({ columns, cells }, plainly, width);

test("columns stand two cells apart, numbers at the right; a wide letter takes two cells and a colour none", () => {
  const style = { ...plainly, red: (text: string) => `<${text}>` };
  const cells: Cell[][] = [
    ["日本", 1, { text: "red", colour: "red" }, "x"],
    ["a", 10, "", "y"],
  ];
  const lines = table({ columns: columnsOf("NAME", "NO.", "A", "B"), cells }, style, null);
  expect(lines).toEqual(["NAME  NO.  A    B", "日本    1  <red>  x", "a      10       y"]);
});

test("a pipe gets all of a table, and a terminal where it fits too", () => {
  expect(at(200)).toEqual(at(null));
  for (const text of [...(cells[1] ?? []).slice(0, 4), " 1.50 SOL", "10.25 SOL"]) {
    expect(at(null).join("\n")).toContain(String(text));
  }
});

test("a table that is too wide loses the middle of addresses and the end of names", () => {
  const lines = at(100);
  expect(lines[0]).toMatch(/^TICKER +NAME +MINT +DEPLOYED +SOL$/);
  expect(lines[1]).toMatch(
    /^LONGTICKER {2}a name of .*… {2}7xKX\w+…\w+gAsU {2}2026-11-21 09:30Z +1.50 SOL$/,
  );
  expect(lines.map((line) => stringWidth(line))).toEqual([100, 100, 100]);
});

test("a table that is still too wide loses the columns that matter least, and names them", () => {
  const wide = [{ title: "KEPT".repeat(12) }, ...columns.slice(1)];
  const lines = table({ columns: wide, cells }, plainly, 80);
  expect(lines[0]).toMatch(/^(KEPT){12} {2}MINT +SOL$/);
  expect(lines.at(-1)).toBe("Not shown: NAME, DEPLOYED; --json has all");
});

test("below 80 cells a table that does not fit becomes records", () => {
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
  expect(table({ columns: columnsOf("A"), cells: [["b"]] }, plainly, 10)).toEqual(["A", "b"]);
});

test("no width makes a table wider than its terminal", () => {
  for (let width = 30; width < 220; width++) {
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
  expect(table(amounts, plainly, null)).toEqual([
    "NAME               SOL",
    "a      1.500000000 SOL",
    "b                    -",
    "c      0.000000003 SOL",
    "Total  1.500000003 SOL",
  ]);
});
