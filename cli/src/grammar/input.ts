import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { FieldError } from "@tokenctl/sdk";
import { problemFinder } from "@tokenctl/shared/field-problems";
import { UsageError } from "../errors.ts";
import { type Command, typedFields } from "./command.ts";
import { GLOBALS } from "./common.ts";
import { flagsOf, mayBeLeftOut, operandOf } from "./field.ts";

export type Given = Readonly<Record<string, unknown>>;

/** Returns a function that parses input from a terminal or a model, and lists its problems. */
export function inputReader(fields: TProperties) {
  const problems = problemFinder(Type.Object(fields, { additionalProperties: false }));
  return (given: Given): { input: Record<string, unknown>; problems: FieldError[] } => {
    const input: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(fields)) {
      if (schema.default !== undefined) input[name] = schema.default;
    }
    for (const [name, value] of Object.entries(given)) {
      // Models often send null for an argument that they omit.
      const isAbsent = value === undefined || (value === null && fields[name] !== undefined);
      if (!isAbsent) input[name] = typed(fields[name], value);
    }
    return { input, problems: problems(input) };
  };
}

function typed(schema: TSchema | undefined, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const isNumber = schema?.type === "number" || schema?.type === "integer";
  if (isNumber && /^\d{1,15}(\.\d{1,9})?$/.test(value)) return Number(value);
  return value;
}

type Ask = ((prompt: string) => Promise<string>) | null;

/** Reads what was typed, and asks a terminal for what is missing. @throws {UsageError} */
export async function readTyped(
  command: Command,
  given: Given,
  globals: { readonly json?: boolean },
  ask: Ask,
): Promise<Given> {
  const own = typedFields(command);
  const fields: TProperties = { ...GLOBALS, ...own };
  const missing = Object.entries(fields).filter(
    ([name, schema]) => given[name] === undefined && ("x-ask" in schema || !mayBeLeftOut(schema)),
  );
  const everywhere = Object.entries(globals).filter(([field]) => field in GLOBALS);
  const { input, flaw } = read(fields, { ...Object.fromEntries(everywhere), ...given });
  const { name, operands = {}, unless } = command;
  const misuse = () => {
    if (flaw) {
      const schema = fields[flaw.name] ?? {};
      const isOperand = flaw.name in operands;
      const where = isOperand ? operandOf(flaw.name, schema) : flagsOf(flaw.name, schema);
      return `'${flaw.value}' is not valid ${isOperand ? "as" : "for"} ${where}: it ${flaw.rule}`;
    }
    const unasked = missing.filter(([, schema]) => ask === null || !("x-ask" in schema));
    if (unasked.length === 0) return unless?.(input, globals);
    const flags = unasked.map(([field, schema]) => `'${flagsOf(field, schema)}'`);
    const [noun, verb] = flags.length > 1 ? ["options", "are"] : ["option", "is"];
    return `required ${noun} ${flags.join(" and ")} ${verb} missing`;
  };
  const why = misuse();
  if (why) throw new UsageError(why, `\`tokenctl ${name} --help\` shows how to use it`);
  for (const [field, schema] of missing) input[field] = await askUntilValid(field, schema, ask);
  return Object.fromEntries(Object.entries(input).filter(([field]) => field in own));
}

async function askUntilValid(name: string, schema: TProperties[string], ask: Ask): Promise<string> {
  for (let why = ""; ; ) {
    const answer = (await ask?.(why + schema["x-ask"]))?.trim();
    const { flaw } = read({ [name]: schema }, { [name]: answer });
    if (!flaw && answer) return answer;
    why = flaw ? `It ${flaw.rule}. ` : "";
  }
}

/** Returns the values, and the first invalid one if any; a missing value is not invalid. */
function read(fields: TProperties, given: Given) {
  const reader = inputReader(fields);
  const { input, problems } = reader(given);
  const [problem] = problems.filter(({ field }) => input[field.split("/")[0] ?? ""] !== undefined);
  if (!problem) return { input, flaw: null };
  const [name = ""] = problem.field.split("/");
  const value = String(input[name]);
  const capitals = value.toUpperCase();
  const isMeant =
    value !== capitals && reader({ ...given, [name]: capitals }).problems.length < problems.length;
  const meant = isMeant ? `. Did you mean ${capitals}?` : "";
  return { input, flaw: { name, value, rule: problem.message + meant } };
}
