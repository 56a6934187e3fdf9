import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { lenientSchema } from "./json-schema.ts";

test("a result's schema allows the fields and names of newer services, and nothing else", () => {
  const state = Type.Union([Type.Literal("pending"), Type.Literal("success")]);
  const schema = Type.Object(
    { state, mint: Type.Union([Type.String(), Type.Null()]), done: Type.Literal(true) },
    { additionalProperties: false },
  );
  expect(lenientSchema(schema)).toEqual({
    type: "object",
    required: ["state", "mint", "done"],
    properties: {
      state: { type: "string", examples: ["pending", "success"] },
      mint: { anyOf: [{ type: "string" }, { type: "null" }] },
      done: { const: true, type: "boolean" },
    },
  });
});
