import type { Static, TObject } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { FieldError } from "@tokenctl/shared/types";
import { distance } from "fastest-levenshtein";
import { ServiceError } from "../base/service-error.ts";

/** The most details in one answer. */
const MAX_DETAILS = 20;
/** The most characters of an unknown field's name that an answer repeats. */
const MAX_FIELD_LENGTH = 64;

/** @returns the 400 for fields that do not follow the contract */
export function validationError(details: readonly FieldError[]): ServiceError {
  return new ServiceError("validation_failed", { details });
}

/**
 * Compiles a schema to a parser of untrusted values.
 *
 * Routes call this instead of giving Elysia the schema: its answer is a 422 that
 * repeats the rejected value.
 *
 * @returns a function that returns the typed value, or throws the 400 with one detail per field
 */
export function parser<Schema extends TObject>(schema: Schema): (value: unknown) => Static<Schema> {
  // Compiled when it is first needed: a start need not wait for it.
  const check = once(() => TypeCompiler.Compile(schema));
  const problems = problemFinder(schema);
  return (value) => {
    if (check().Check(value)) return value;
    throw validationError(problems(value));
  };
}

/** The fields of a value that are right by themselves, and one detail for each that is not. */
export interface PartlyParsed<Schema extends TObject> {
  readonly fields: Partial<Static<Schema>>;
  readonly details: readonly FieldError[];
}

/**
 * Compiles a schema to a reader of values that may be wrong in parts.
 *
 * @returns a function that throws the 400 only if the value is no object
 */
export function partialParser<Schema extends TObject>(
  schema: Schema,
): (value: unknown) => PartlyParsed<Schema> {
  const whole = once(() => TypeCompiler.Compile(schema));
  const problems = problemFinder(schema);
  const checks = once(() =>
    Object.entries(schema.properties).map(
      ([field, property]) => [field, TypeCompiler.Compile(property)] as const,
    ),
  );
  return (value) => {
    if (whole().Check(value)) return { fields: value, details: [] };
    const details = problems(value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw validationError(details);
    }
    // Not all but those in `details`: their number is bounded.
    const good = checks().flatMap(([field, check]) => {
      const given: unknown = Object.hasOwn(value, field) ? Reflect.get(value, field) : undefined;
      return given !== undefined && check.Check(given) ? [[field, given]] : [];
    });
    return { fields: Object.fromEntries(good), details };
  };
}

/** @returns a function that makes a value when it is first called, and returns it each time */
function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** @returns a function that returns one detail for each field that breaks the schema */
function problemFinder(schema: TObject): (value: unknown) => FieldError[] {
  const compiled = once(() => TypeCompiler.Compile(schema));
  const known = Object.keys(schema.properties);
  return (value) => {
    const details = new Map<string, FieldError>();
    for (const error of compiled().Errors(value)) {
      const detail = describe(error, known);
      if (!details.has(detail.field)) details.set(detail.field, detail);
      if (details.size === MAX_DETAILS) break;
    }
    return [...details.values()];
  };
}

function describe(error: ValueError, known: readonly string[]): FieldError {
  // A JSON pointer (RFC 6901) to a property of the body; the body itself has the empty one.
  const name = error.path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
  const field = [...name].slice(0, MAX_FIELD_LENGTH).join("");
  if (error.path === "") return { field: "body", message: "must be a JSON object" };
  if (error.type === ValueErrorType.ObjectRequiredProperty)
    return { field, message: "is required" };
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    const meant = closest(field, known);
    const hint = meant ? `; did you mean "${meant}"?` : `; known are ${known.join(", ")}`;
    return { field, message: `is not a known field${hint}` };
  }
  return { field, message: String(error.schema["x-rule"] ?? "is not valid") };
}

/** @returns the known name that the sender probably meant */
function closest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const wanted = plain(name);
  if (wanted.length < 2) return undefined;
  const near = (candidate: string) =>
    candidate.startsWith(wanted) || distance(candidate, wanted) <= 2;
  return known.find((candidate) => near(plain(candidate)));
}
