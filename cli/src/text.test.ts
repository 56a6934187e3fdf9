import { expect, test } from "bun:test";
import { plain, plainStrings, record, shorten, table } from "./text.ts";

const asIs = (text: string) => text;

test("plain: takes the power over the terminal from a text", () => {
  expect(plain("\x1b[2Jgone\x07\r\n")).toBe("�[2Jgone���");
  expect(plain("\u202egnp.exe\u2069")).toBe("�gnp.exe�");
  expect(plain("\u009b31m")).toBe("�31m");
});

test("plain: behavior: leaves writing as it is", () => {
  expect(plain("Žluťoučký 日本 🐶 שלום")).toBe("Žluťoučký 日本 🐶 שלום");
});

test("plainStrings: reaches every string and nothing else", () => {
  const failure = new Error("\x07");
  expect(plainStrings({ a: ["\x07", 1, null], b: { c: "\x1b" }, failure })).toEqual({
    a: ["�", 1, null],
    b: { c: "�" },
    failure,
  });
});

test("shorten: by the cells that text takes, never within a letter", () => {
  expect(shorten("abcdef", 6)).toBe("abcdef");
  expect(shorten("abcdefg", 6)).toBe("abcde…");
  expect(shorten("日本日本", 6)).toBe("日本…");
  expect(shorten("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5)).toBe("👨‍👩‍👧👨‍👩‍👧…");
});

test("table: columns stand two cells apart, wide letters counted as two", () => {
  const lines = table(
    [{ title: "NAME" }, { title: "SOL", align: "right" }, { title: "END" }],
    [
      ["日本", "1.5", "x"],
      ["a", "10.25", ""],
    ],
    asIs,
  );
  expect(lines).toEqual(["NAME    SOL  END", "日本    1.5  x", "a     10.25"]);
});

test("table: behavior: paint takes no room", () => {
  const lines = table([{ title: "A" }, { title: "B" }], [["\x1b[31mred\x1b[39m", "b"]], asIs);
  expect(lines).toEqual(["A    B", "\x1b[31mred\x1b[39m  b"]);
});

test("record: values in one column", () => {
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
