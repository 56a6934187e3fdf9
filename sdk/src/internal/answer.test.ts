import { expect, test } from "bun:test";
import type { LenientSchema } from "@tokenctl/shared/contract/lenient-schema";
import { answer, shape } from "./answer.ts";

const problemOf = (schema: LenientSchema, value: unknown) => answer(schema).check(value);

const item = shape({ mint: { type: "string" }, fee: { type: "number" } });
const list = shape({ items: { type: "array", items: item }, next: { type: "string" } }, ["next"]);
const good = { mint: "a", fee: 0 };

test.each([
  ["no items", { items: [] }],
  ["good items", { items: [good, { ...good, newer: 1 }] }],
  ["an optional field", { items: [good], next: "n" }],
])("a list with %s is right", (_, value) => expect(problemOf(list, value)).toBeNull());

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
  expect(problemOf(list, value)).toBe(problem),
);

const digits = { type: "string", pattern: "^\\d{1,39}$" };

test.each([
  [{ type: "string" }, "", "is not a string", [0, null, undefined, {}]],
  [{ type: "boolean" }, false, "is not a boolean", [0, "true", null, undefined]],
  [
    { type: "number" },
    0.5,
    "is not an amount",
    [-1, Number.NaN, Infinity, "1", null, undefined, 1n],
  ],
  [{ type: "integer" }, 0, "is not a whole number", [-1, 0.5, 2 ** 53, "1", null, undefined]],
  [digits, "12", "is not a number in digits", ["", "-1", "1.5", "0x1", "1".repeat(40)]],
  [{ type: "boolean", const: true }, true, "is none of true", [false, "true", null, undefined]],
  [{ type: "string", enum: ["a", "b"] }, "b", "is none of a, b", ["c", "", null, ["a"]]],
  [{ type: ["string", "null"] }, null, "is not a string or null", [0, undefined]],
] as const)("%j takes %p and nothing else", (schema, value, problem, others) => {
  expect(problemOf(schema, value)).toBeNull();
  for (const other of others) expect(problemOf(schema, other)).toBe(problem);
});

test("an optional field is missing or right", () => {
  const optional = shape({ next: { type: "string" } }, ["next"]);
  expect(problemOf(optional, {})).toBeNull();
  for (const next of [0, null]) expect(problemOf(optional, { next })).toBe(".next is not a string");
});
