import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { outputSchema } from "./json-schema.ts";

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
