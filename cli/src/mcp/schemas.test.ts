import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { inputSchema, outputSchema } from "./schemas.ts";

test("a result's schema allows the fields and names of newer services, and nothing else", () => {
  const state = Type.Union([Type.Literal("pending"), Type.Literal("success")]);
  const mint = Type.Union([Type.String({ pattern: "^a$", examples: ["a"] }), Type.Null()]);
  const description = Type.String({ description: "What it is about", maxLength: 9 });
  const inner = Type.Union([Type.Object({ mint }), Type.Null()]);
  const schema = Type.Object(
    { state, mint, inner, description, done: Type.Literal(true) },
    { additionalProperties: false },
  );
  const orNull = (one: object) => ({ anyOf: [one, { type: "null" }] });
  expect(outputSchema(schema)).toEqual({
    type: "object",
    properties: {
      state: { type: "string" },
      mint: orNull({ type: "string" }),
      inner: orNull({ type: "object", properties: { mint: orNull({ type: "string" }) } }),
      description: { type: "string" },
      done: { type: "boolean" },
    },
  });
});

test("an argument's schema has no pattern of what a model copies, and a choice in its shortest form", () => {
  const side = Type.Union([Type.Literal("buy"), Type.Literal("sell")], { description: "Which" });
  const mint = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" });
  const ticker = Type.String({ pattern: "^[A-Z0-9]+$", "x-rule": "must be text" });
  const sol = Type.Number({ exclusiveMinimum: 0, maximum: 9, default: 1 });
  expect(inputSchema({ side, mint, ticker, sol })).toMatchObject({
    properties: {
      side: { type: "string", enum: ["buy", "sell"], description: "Which" },
      mint: { type: "string" },
      ticker: { type: "string", pattern: "^[A-Z0-9]+$" },
      sol: { type: "number", maximum: 9 },
    },
  });
});
