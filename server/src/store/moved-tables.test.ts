import { expect, test } from "bun:test";
import { type MovedRow, summaryOf } from "./moved-tables.ts";

test("a checksum differs if a value, a null or the order does", async () => {
  const checksum = async (...rows: MovedRow[]) => (await summaryOf(rows, null)).checksum;
  const all = await Promise.all([
    checksum(["1", null]),
    checksum([null, "1"]),
    checksum(["1", "null"]),
    checksum(["1", ""]),
    checksum(["1"], [null]),
    checksum(["\\x01", null]),
    checksum(["2"], ["1"]),
    checksum(["1"], ["2"]),
    checksum(),
  ]);
  expect(new Set(all).size).toBe(all.length);
  expect(await checksum(["1", null])).toBe(all[0] ?? "");
});
