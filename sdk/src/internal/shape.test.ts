import { expect, test } from "bun:test";
import { amount, boolean, listOf, nullable, object, oneOf, optional, string } from "./shape.ts";

const item = object<{ mint: string; fee: number }>({ mint: string, fee: amount });
const list = object<{ items: unknown; next?: string }>({
  items: listOf(item),
  next: optional(string),
});
const good = { mint: "a", fee: 0 };

test.each([
  ["no items", { items: [] }],
  ["good items", { items: [good, { ...good, newer: 1 }] }],
  ["an optional field", { items: [good], next: "n" }],
])("a list with %s is right", (_, value) => expect(list(value)).toBeNull());

test.each([
  ["that is an object", { items: {} }, ".items is not an array"],
  ["that is missing", {}, ".items is not an array"],
  [
    "with a fault in the first item",
    { items: [{ mint: 1, fee: 0 }] },
    ".items[0].mint is not a string",
  ],
  [
    "with a fault in the last item",
    { items: [good, good, { mint: "a" }] },
    ".items[2].fee is not an amount",
  ],
  ["with an item that is null", { items: [good, null] }, ".items[1] is not an object"],
  ["with a fault behind it", { items: [good], next: 1 }, ".next is not a string"],
])("a list %s is wrong, and the problem says where", (_, value, problem) =>
  expect(list(value)).toBe(problem),
);

test.each([
  [string, "", "is not a string", [0, null, undefined, {}]],
  [boolean, false, "is not a boolean", [0, "true", null, undefined]],
  [amount, 0, "is not an amount", [-1, Number.NaN, Infinity, "1", null, undefined, 1n]],
  [oneOf("a", "b"), "b", "is none of a, b", ["c", "", null, undefined, ["a"]]],
  [nullable(string), null, "is not a string or null", [0, undefined]],
  [optional(string), undefined, "is not a string", [0, null]],
] as const)("%p takes %p and nothing else", (check, value, problem, others) => {
  expect(check(value)).toBeNull();
  for (const other of others) expect(check(other)).toBe(problem);
});
