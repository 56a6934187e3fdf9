import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { commands } from "../grammar/commands.ts";
import { toolsets } from "../grammar/toolsets.ts";
import { inputSchema, outputSchema } from "./json-schema.ts";
import { loadTools, offeredTools } from "./server.ts";

const guards = { hasNode: true, readOnly: false, toolsets, filesDir: "/" };
const tools = await loadTools(offeredTools(commands, guards, true), true);

/** What Claude, OpenAI, Gemini and Cursor accept in a tool's schema. */
const KEYWORDS = [
  ...["type", "description", "properties", "required", "additionalProperties", "items"],
  ...["enum", "anyOf", "minimum", "maximum", "pattern"],
];

/** @returns what is wrong with a schema and those within it, by their paths */
function wrongIn(schema: Record<string, unknown>, path: string): string[] {
  const { type, properties = {}, items, anyOf } = schema;
  const within = [
    ...Object.entries(properties as object),
    ...(items === undefined ? [] : [["[]", items] as const]),
    ...((anyOf as object[] | undefined) ?? []).map(
      (one, index) => [`anyOf ${index}`, one] as const,
    ),
  ];
  return [
    ...Object.keys(schema).flatMap((key) => (KEYWORDS.includes(key) ? [] : [`${path} has ${key}`])),
    ...(typeof type === "string" || anyOf !== undefined ? [] : [`${path} has no type`]),
    ...within.flatMap(([name, one]) => wrongIn(one, `${path}.${name}`)),
  ];
}

describe("every model can read the schemas of", () => {
  test.each(tools.map((tool) => [tool.command.tool.name, tool] as const))("%s", (_, tool) => {
    const input = inputSchema(tool.fields) as Record<string, unknown>;
    expect(wrongIn(input, "input")).toEqual([]);
    expect(wrongIn(outputSchema(tool.result) as Record<string, unknown>, "output")).toEqual([]);
    expect(input).toMatchObject({ type: "object", additionalProperties: false });
  });
});

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
