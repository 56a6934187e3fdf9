import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { inputSchema, outputSchema } from "./json-schema.ts";

test("a result's schema allows the fields and names of newer services, and nothing else", () => {
  const state = Type.Union([Type.Literal("pending"), Type.Literal("success")]);
  const mint = Type.Union([Type.String({ pattern: "^a$", examples: ["a"] }), Type.Null()]);
  const description = Type.String({ description: "What it is about", maxLength: 9 });
  const inner = Type.Union([Type.Object({ mint }), Type.Null()]);
  const schema = Type.Object(
    { state, mint, inner, description, done: Type.Literal(true) },
    { additionalProperties: false },
  );
  expect(outputSchema(schema)).toEqual({
    type: "object",
    properties: {
      state: { type: "string" },
      mint: { type: ["string", "null"] },
      inner: { type: ["object", "null"], properties: { mint: { type: ["string", "null"] } } },
      description: { type: "string" },
      done: { const: true, type: "boolean" },
    },
  });
});

test("an argument's schema has no pattern of what a model copies, and a choice in its shortest form", () => {
  const side = Type.Union([Type.Literal("buy"), Type.Literal("sell")], { description: "Which" });
  const mint = Type.String({ pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$" });
  const ticker = Type.String({ pattern: "^[A-Z0-9]+$", "x-rule": "must be text" });
  const range = Type.Union([Type.Number(), Type.String()]);
  expect(inputSchema(Type.Object({ side, mint, ticker, range }))).toMatchObject({
    properties: {
      side: { enum: ["buy", "sell"], description: "Which" },
      mint: { type: "string" },
      ticker: { type: "string", pattern: "^[A-Z0-9]+$" },
      range: { anyOf: [{ type: "number" }, { type: "string" }] },
    },
  });
});
