import type { TObject } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import type { FieldError } from "./types.ts";

const MAX_DETAILS = 20;
/** Maximum characters of an unknown field's name that an answer repeats. */
const MAX_FIELD_LENGTH = 64;

export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns a function that returns one detail, with its `x-rule`, for each field with a problem. */
export function problemFinder(schema: TObject): (value: unknown) => FieldError[] {
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
  // A JSON pointer (RFC 6901) to a property of the body; empty for the body itself.
  const name = error.path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
  const field = [...name].slice(0, MAX_FIELD_LENGTH).join("");
  const rule = error.schema["x-rule"];
  if (error.path === "") return { field: "body", message: String(rule ?? "must be a JSON object") };
  if (error.type === ValueErrorType.ObjectRequiredProperty)
    return { field, message: "is required" };
  if (error.type === ValueErrorType.ObjectAdditionalProperties) {
    return { field, message: `is not a known field; known are ${known.join(", ")}` };
  }
  return { field, message: String(rule ?? "is not valid") };
}
