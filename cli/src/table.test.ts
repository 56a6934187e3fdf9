import { expect, test } from "bun:test";
import stringWidth from "string-width";
import { createStyle } from "./style.ts";
import { type Cell, type Column, rowsOf, table } from "./table.ts";

const plainly = createStyle(false, {});
const draw = (
  columns: readonly Column[],
  cells: readonly (readonly Cell[])[],
  width: number | null,
) => table({ columns, cells }, plainly, width);

test("table puts columns two cells apart and counts a wide letter as two cells", () => {
  const lines = draw(
    [{ title: "NAME" }, { title: "SOL", align: "right" }, { title: "END" }],
    [
      ["日本", "1.5", "x"],
      ["a", "10.25", ""],
    ],
    null,
  );
  expect(lines).toEqual(["NAME    SOL  END", "日本    1.5  x", "a     10.25"]);
});

test("table counts no cells for colours", () => {
  const style = { ...plainly, red: (text: string) => `<${text}>` };
  const columns = [{ title: "A" }, { title: "B" }];
  const lines = table({ columns, cells: [[{ text: "red", colour: "red" }, "b"]] }, style, null);
  expect(lines).toEqual(["A    B", "<red>  b"]);
});

const MINT = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const columns: readonly Column[] = [
  { title: "TICKER" },
  { title: "NAME", shorten: "end", dropFirst: 1 },
  { title: "MINT", shorten: "middle" },
  { title: "DEPLOYED", dropFirst: 2 },
  { title: "SOL", align: "right" },
];
const rows: readonly (readonly Cell[])[] = [
  ["LONGTICKER", "a name of thirty-two characters!", MINT, "2026-11-21 09:30Z", "1.5 SOL"],
  ["WIF", "日本の名前はとても長いので短くします、はい", MINT, "2026-11-21 09:30Z", "10.25 SOL"],
];
const at = (width: number | null) => draw(columns, rows, width);

test("a pipe gets all of a table", () => {
  const lines = at(null);
  for (const [line, row] of rows.entries()) {
    for (const cell of row) expect(lines[line + 1]).toContain(String(cell));
  }
});

test("a table that fits its terminal stays whole", () => {
  expect(at(200)).toEqual(at(null));
});

test("a table that is too wide loses the middle of addresses and the end of names", () => {
  const lines = at(100);
  expect(lines[0]).toMatch(/^TICKER +NAME +MINT +DEPLOYED +SOL$/);
  expect(lines[1]).toMatch(
    /^LONGTICKER {2}a name of .*… {2}7xKX\w+…\w+gAsU {2}2026-11-21 09:30Z +1.5 SOL$/,
  );
  expect(lines.map((line) => stringWidth(line))).toEqual([100, 100, 100]);
});

test("a table that is still too wide loses the columns that matter least", () => {
  const wide: readonly Column[] = [{ title: "KEPT".repeat(12) }, ...columns.slice(1)];
  const lines = draw(wide, rows, 80);
  expect(lines[0]).toMatch(/^(KEPT){12} {2}MINT +SOL$/);
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
});

test("below 80 cells a table that does not fit becomes records", () => {
  const lines = at(60);
  expect(lines).toEqual([
    "TICKER    LONGTICKER",
    "NAME      a name of thirty-two characters!",
    `MINT      ${MINT}`,
    "DEPLOYED  2026-11-21 09:30Z",
    "SOL       1.5 SOL",
    "",
    "TICKER    WIF",
    "NAME      日本の名前はとても長いので短くします、はい",
    `MINT      ${MINT}`,
    "DEPLOYED  2026-11-21 09:30Z",
    "SOL       10.25 SOL",
  ]);
  for (const line of at(40)) expect(stringWidth(line)).toBeLessThanOrEqual(40);
});

test("a narrow table that fits stays a table below 80 cells", () => {
  expect(draw([{ title: "A" }], [["b"]], 10)).toEqual(["A", "b"]);
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
  const amounts = rowsOf(
    rows,
    [
      { title: "NAME", of: ({ name }) => name },
      { title: "SOL", of: ({ lamports }) => lamports, align: "right" },
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
