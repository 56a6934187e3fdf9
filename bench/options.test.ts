import { expect, test } from "bun:test";
import { parseOptions } from "./options.ts";
import { rows } from "./rows.ts";

test("a whole run prints its report", () => {
  expect(parseOptions([], rows)).toMatchObject({ rows, isWritten: false });
});

test("a whole run writes its report with --write", () => {
  expect(parseOptions(["--write"], rows)).toMatchObject({ rows, isWritten: true });
});

test.each(["--quick", "--only=status"])("--write refuses %s", (word) => {
  expect(() => parseOptions(["--write", word], rows)).toThrow("--write takes a whole run");
});

test("--only names the rows that are measured", () => {
  const { rows: named } = parseOptions(["--only", "list,status"], rows);
  expect(named.map(({ id }) => id)).toEqual(["list", "status"]);
  expect(() => parseOptions(["--only", "nothing"], rows)).toThrow("there is no row nothing");
});
