import type { Static, TObject } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
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
  let compiled: TypeCheck<Schema> | undefined;
  const known = Object.keys(schema.properties);
  return (value) => {
    compiled ??= TypeCompiler.Compile(schema);
    if (compiled.Check(value)) return value;
    const details = new Map<string, FieldError>();
    for (const error of compiled.Errors(value)) {
      const detail = describe(error, known);
      if (!details.has(detail.field)) details.set(detail.field, detail);
      if (details.size === MAX_DETAILS) break;
    }
    throw validationError([...details.values()]);
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
