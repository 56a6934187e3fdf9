import { expect, test } from "bun:test";
import { utcDay } from "./utc-day.ts";

test.each([
  [Date.UTC(2026, 1, 28, 23, 59, 59, 999), "2026-02-28"],
  [Date.UTC(2026, 2, 1), "2026-03-01"],
  [Date.UTC(2028, 1, 29), "2028-02-29"],
  [0, "1970-01-01"],
])("the millisecond %p is in the UTC day %s", (milliseconds, day) => {
  expect(utcDay(milliseconds)).toBe(day);
});
