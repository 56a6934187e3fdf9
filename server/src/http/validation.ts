import type { Static, TObject } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { once, problemFinder } from "@tokenctl/shared/field-problems";
import { limits } from "@tokenctl/shared/limits";
import { formatSol, parseSol } from "@tokenctl/shared/sol";
import type { FieldError } from "@tokenctl/shared/types";
import { ServiceError } from "../base/service-error.ts";

/** @returns the 400 for fields that do not follow the contract */
export function validationError(details: readonly FieldError[]): ServiceError {
  return new ServiceError("validation_failed", { details });
}

/** @throws {ServiceError} 400 if the text is not base64 of at most 1232 bytes */
export function readTransaction(base64: string): Uint8Array {
  const transaction = Buffer.from(base64, "base64");
  const canonical = transaction.toString("base64").replace(/=+$/, "");
  if (canonical !== base64.replace(/=+$/, "") || transaction.length > limits.transaction.bytes) {
    throw validationError([
      { field: "signedTransaction", message: "must be a base64 transaction of at most 1232 bytes" },
    ]);
  }
  return transaction;
}

/**
 * Compiles a schema to a parser of untrusted values, which throws the 400 with one detail per
 * field. Elysia's own answer is a 422 that repeats the rejected value.
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

/** Compiles a schema to a reader that throws the 400 only if the value is not an object. */
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
    // Checked one by one, because `details` names only some of the wrong fields.
    const good = checks().flatMap(([field, check]) => {
      const given: unknown = Object.hasOwn(value, field) ? Reflect.get(value, field) : undefined;
      return given !== undefined && check.Check(given) ? [[field, given]] : [];
    });
    return { fields: Object.fromEntries(good), details };
  };
}

/**
 * Reads an amount by its decimal text, so that 0.1 is exactly 100,000,000 lamports.
 *
 * @returns lamports, from 1 to `max`
 * @throws {ServiceError} 400 that names the field
 */
export function parseSolAmount(field: string, sol: number | string, max: bigint): bigint {
  try {
    const lamports = parseSol(typeof sol === "number" ? plainDigits(sol) : sol);
    if (lamports > 0n && lamports <= max) return lamports;
  } catch {
    // Not a decimal number: the answer is the same.
  }
  const range = `must be more than 0 and at most ${formatSol(max)}, with at most 9 decimals`;
  throw validationError([{ field, message: range }]);
}

/** @returns the number without an exponent, for example `0.0000005` */
function plainDigits(sol: number): string {
  const text = sol.toFixed(9);
  return Number(text) === sol ? text : String(sol);
}
