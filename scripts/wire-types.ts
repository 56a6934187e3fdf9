/**
 * What the SDK has of the contract, without TypeBox: the types that its package declares, and what it checks
 * answers by. `bun scripts/wire-types.ts` writes the latter; with `--check` it fails if they are not up to date.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TSchema } from "@sinclair/typebox";
import { contract } from "@tokenctl/shared/contract/contract";
import { lenientSchema } from "@tokenctl/shared/contract/lenient";
import type { LenientSchema } from "@tokenctl/shared/contract/lenient-schema";

/** Characters of a line. */
const WIDTH = 110;
/** The requests that clients write as values; of others they write the fields alone. */
const REQUESTS = ["HandOverRequest", "LaunchRequest", "NewWebhookRequest"];
const HEAD = `// Written by scripts/wire-types.ts from shared/src/contract/: change the schemas there.
`;

/** The name of a schema, or of a copy with another description. */
function nameOf(schema: TSchema): string | undefined {
  return names.get(contentOf(schema));
}

const names = new Map(Array.from(contract, ([name, schema]) => [contentOf(schema), name]));

function contentOf(schema: TSchema): object {
  return schema.properties ?? schema.anyOf ?? schema;
}

/** @returns what the published SDK declares instead of `shared/src/types.ts` */
export function declaredTypes(): string {
  const intro = `/**
 * The JSON of the wire contract. Timestamps are ISO-8601 in UTC with milliseconds; addresses, signatures and
 * transaction hashes are base58; amounts are SOL.
 */
`;
  const declared = Array.from(contract, ([name, schema]) => {
    if (name.endsWith("Request") && !REQUESTS.includes(name)) return "";
    if (schema.properties)
      return `${comment(schema, "")}export interface ${name} ${own(name, schema)}\n`;
    return schema.anyOf ? `${comment(schema, "")}export type ${name} =${union(schema, "")};\n` : "";
  });
  return `${HEAD}${intro}\n${declared.filter((text) => text !== "").join("\n")}`;
}

/** @returns an interface's fields, without those of another one that it extends */
function own(name: string, schema: TSchema): string {
  const fields: Readonly<Record<string, TSchema>> = schema.properties;
  const [base] = Array.from(contract).filter(([other, { properties }]) => {
    const entries = Object.entries<TSchema>(properties ?? {});
    return (
      other !== name && entries.length > 2 && entries.every(([key, one]) => fields[key] === one)
    );
  });
  if (base === undefined) return objectType(schema, "");
  const [other, { properties }] = base;
  const rest = Object.entries(fields).filter(([key]) => !(key in properties));
  return `extends ${other} ${objectType({ ...schema, properties: Object.fromEntries(rest) }, "")}`;
}

function objectType(schema: TSchema, indent: string): string {
  const inner = `${indent}  `;
  const fields = Object.entries<TSchema>(schema.properties).map(([name, field]) => {
    const mark = schema.required?.includes(name) ? "" : "?";
    const known = nameOf(field);
    const isSaid =
      (known !== undefined && contract.get(known)?.description === field.description) ||
      (name === "success" && field.const === true);
    return `${isSaid ? "" : comment(field, inner)}${inner}${name}${mark}: ${typeOf(field, inner).trim()};\n`;
  });
  return `{\n${fields.join("")}${indent}}`;
}

function typeOf(schema: TSchema, indent: string): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return union(schema, indent);
  switch (schema.type) {
    case "object":
      return objectType(schema, indent);
    case "array": {
      const item = typeOf(schema.items, indent);
      return /[ |]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
    }
    case "integer":
      return "number";
    default:
      return schema.type ?? "unknown";
  }
}

function union({ anyOf }: TSchema, indent: string): string {
  const choices: string[] = anyOf.map((one: TSchema) => typeOf(one, indent));
  const line = choices.join(" | ");
  return line.length < WIDTH - 30 || line.includes("\n")
    ? ` ${line}`
    : choices.map((choice) => `\n${indent}  | ${choice}`).join("");
}

/** What the value means, and the rule that the server names if a request breaks it. */
function comment({ description, "x-rule": rule }: TSchema, indent: string): string {
  const text = [description, rule].filter((part) => part !== undefined).join("; ");
  if (text === "") return "";
  const end = /[.!?]$/.test(text) ? "" : ".";
  const whole = `${indent}/** ${text}${end} */`;
  if (whole.length <= WIDTH) return `${whole}\n`;
  const lines = [""];
  for (const word of `${text}${end}`.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (`${indent} * ${last} ${word}`.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`.trim();
  }
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

/** A line for each object, which names those that it contains. */
function answers(): string {
  const shapes = Array.from(contract, ([name, schema]) => ({ name, schema }))
    .filter(({ name, schema }) => schema.properties && !name.endsWith("Request"))
    .map(({ name, schema }) => ({ name, text: code(lenientSchema(schema)) }))
    // What contains another is longer.
    .sort((a, b) => a.text.length - b.text.length);
  const written = shapes.map(({ name, text }, index) => {
    const parts = shapes.slice(0, index).reverse();
    return {
      name,
      text: parts.reduce((left, part) => left.replaceAll(part.text, part.name), text),
    };
  });
  const isUsed = namesUsed();
  const kept: typeof written = [];
  const isPart = (name: string) =>
    name === "ErrorBody" || kept.some(({ text }) => new RegExp(`[:(]${name}\\b`).test(text));
  for (const one of written.toReversed())
    if (isUsed.has(one.name) || isPart(one.name)) kept.push(one);
  const parts = kept.filter(({ name }) => isPart(name)).reverse();
  const entries = kept
    .filter(({ name }) => isUsed.has(name))
    .map(({ name, text }) => `  ${name}: answer<wire.${name}>(${isPart(name) ? name : text}),\n`);
  return `${HEAD}// biome-ignore-all format: generated
import type { LenientSchema } from "@tokenctl/shared/contract/lenient-schema";
import type * as wire from "@tokenctl/shared/types";
import { answer, boolean, list, number, orNull, shape, string } from "./answer.ts";

${parts.map(({ name, text }) => `const ${name}: LenientSchema = ${text};\n`).join("")}
/** The bodies that the service sends, by their names in the contract. */
export const answers = {
${entries.sort().join("")}};

/** The body of an error, which a gateway sends without a code. */
export const errorBody = answer<wire.ErrorBody>({ ...ErrorBody, required: ["error"] });
`;
}

/** Writes a schema with the functions of `answer.ts`, which take half as many bytes. */
function code(schema: LenientSchema): string {
  const { type, properties, required = [], items, ...rest } = schema;
  const [one, orNull] = [type].flat();
  if (orNull !== undefined) return `orNull(${code({ ...schema, type: one ?? "" })})`;
  if (Object.keys(rest).length > 0) return JSON.stringify(schema);
  if (items) return `list(${code(items)})`;
  if (!properties) return PRIMITIVES.includes(String(one)) ? String(one) : JSON.stringify(schema);
  const fields = Object.entries(properties).map(([name, field]) => `${name}:${code(field)}`);
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return `shape({${fields}}${optional.length > 0 ? `,${JSON.stringify(optional)}` : ""})`;
}

/** Their schemas have their names. */
const PRIMITIVES = ["string", "number", "boolean"];

/** @returns the answers that the SDK's sources name */
function namesUsed(): Set<string> {
  const folder = join(import.meta.dir, "../sdk/src");
  const sources = [...new Bun.Glob("**/*.ts").scanSync(folder)].map((file) =>
    readFileSync(join(folder, file), "utf8"),
  );
  return new Set(sources.join("").match(/(?<=\banswers\.)[A-Z]\w+/g));
}

if (import.meta.main) {
  const file = Bun.file(join(import.meta.dir, "../sdk/src/internal/answers.ts"));
  if (!process.argv.includes("--check")) await file.write(answers());
  else if ((await file.text()) !== answers()) {
    console.error("The SDK does not check answers by the contract: run bun scripts/wire-types.ts");
    process.exitCode = 1;
  }
}
