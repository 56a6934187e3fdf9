import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { once, problemFinder } from "@tokenctl/shared/field-problems";
import { limits } from "@tokenctl/shared/limits";
import { formatSol, parseSol } from "@tokenctl/shared/sol";
import type { FieldError } from "@tokenctl/shared/types";
import { type Clock, PeriodicTask, systemClock } from "../base/clock.ts";
import { ServiceError } from "../base/service-error.ts";

const UTF_8 = new TextDecoder("utf-8", { fatal: true });
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;

const DEADLINE_MS = 15_000;
const PACE_EVERY_MS = 250;
/** What the pieces of a long body have on average: each takes time and memory, however short. */
const LEAST_PIECE_BYTES = 64;

/** Undefined without a body. Elysia would read bodies before it checks the token, unlimited. */
export async function readJson(
  request: Request,
  clock: Pick<Clock, "after"> = systemClock,
): Promise<unknown> {
  const bytes = await readBytes(request, clock);
  if (bytes.length === 0) return undefined;
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) {
    throw new ServiceError("unsupported_media_type");
  }
  try {
    return JSON.parse(UTF_8.decode(bytes));
  } catch {
    throw wrongBody("is not valid JSON in UTF-8");
  }
}

/**
 * Reads a body that arrives fast enough: nothing needs to arrive in its first `graceMs`, and from
 * then on `bytesPerSecond` on average. @throws {ServiceError} 408, 413, 415, 400
 */
export async function readPaced(
  request: Request,
  of: { maxBytes: number; graceMs: number; bytesPerSecond: number; onBytes(bytes: number): void },
  clock: Pick<Clock, "after" | "elapsed"> = systemClock,
): Promise<Uint8Array> {
  const { maxBytes, graceMs, bytesPerSecond, onBytes } = of;
  refuseEncoded(request);
  if (declaredBytes(request) > maxBytes) throw tooLarge(maxBytes);
  let length = 0;
  const count = (bytes: number) => {
    length += bytes;
    onBytes(bytes);
  };
  const start = clock.elapsed();
  const { promise: late, reject: onError } = Promise.withResolvers<never>();
  const pace = new PeriodicTask({
    clock,
    onError,
    async run() {
      const seconds = (clock.elapsed() - start - graceMs) / 1_000;
      if (length >= seconds * bytesPerSecond) return PACE_EVERY_MS;
      throw tooLate(`It must arrive with at least ${bytesPerSecond} bytes a second.`);
    },
  });
  pace.start(PACE_EVERY_MS);
  try {
    return await readChunks(request.body, maxBytes, { late, count });
  } finally {
    await pace.stop();
  }
}

/** Reads at most 64 KiB. @throws {ServiceError} 408 if too late, 413, 415, 400 if incomplete */
export async function readBytes(
  request: Request,
  clock: Pick<Clock, "after"> = systemClock,
): Promise<Uint8Array> {
  const declared = declaredBytes(request);
  if (declared === 0) return new Uint8Array();
  refuseEncoded(request);
  if (declared > limits.bodyBytes) throw tooLarge(limits.bodyBytes);
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(DEADLINE_MS, () => {
    reject(tooLate(`The whole request body must arrive within ${DEADLINE_MS / 1000} s.`));
  });
  try {
    // `request.body` creates a stream, which most requests do not need.
    if (!Number.isNaN(declared)) return await Promise.race([request.bytes(), late]);
    return await readChunks(request.body, limits.bodyBytes, { late });
  } catch (fault) {
    throw faultOf(fault);
  } finally {
    cancel();
  }
}

/** @throws {ServiceError} 415: the length of a compressed body does not bound its content */
function refuseEncoded({ headers }: Request): void {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (!/^\s*(?:identity)?\s*$/i.test(encoding)) {
    throw new ServiceError("unsupported_content_encoding");
  }
}

const declaredBytes = ({ headers }: Request) => Number(headers.get("content-length") ?? Number.NaN);

async function readChunks(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  { late, count }: { late: Promise<never>; count?: (bytes: number) => void },
): Promise<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      count?.(value.length);
      chunks.push(value);
      if (chunks.length > 1_000 + length / LEAST_PIECE_BYTES)
        throw wrongBody("comes in tiny pieces");
    }
  } catch (fault) {
    void reader.cancel().catch(() => {});
    throw faultOf(fault);
  }
}

/** A stream error means that the client closed the connection, so it does not read this answer. */
function faultOf(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  return wrongBody("did not arrive whole");
}

const wrongBody = (message: string) => validationError([{ field: "body", message }]);

const tooLate = (advice: string) => new ServiceError("body_too_late", { advice });

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("body_too_large", {
    advice: `A request body may have ${maxBytes} bytes.`,
  });
}

export function validationError(details: readonly FieldError[]): ServiceError {
  return new ServiceError("validation_failed", { details });
}

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
 * Returns a parser that throws a 400 with one detail per field, and treats null as an absent
 * optional field. Elysia's own 422 repeats the rejected value.
 */
export function parser<Schema extends TObject>(schema: Schema): (value: unknown) => Static<Schema> {
  const read = partialParser(schema);
  return (given) => {
    const { fields, details } = read(given);
    if (details.length > 0) throw validationError(details);
    return fields as Static<Schema>;
  };
}

/** Whether a field may be null: models and many serializers send null for an absent field. */
export const mayBeNull = ({ required }: TSchema, field: string) => !required?.includes(field);

function withoutNulls(schema: TSchema, value: unknown): unknown {
  if (!isFields(value) || schema.properties === undefined) return value;
  const fields = Object.entries(value).flatMap(([field, given]) => {
    // Every object inherits a `constructor`, which is not a field of the schema.
    if (!Object.hasOwn(schema.properties, field)) return [[field, given]];
    if (given === null && mayBeNull(schema, field)) return [];
    return [[field, withoutNulls(schema.properties[field], given)]];
  });
  return Object.fromEntries(fields);
}

const isFields = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface PartlyParsed<Schema extends TObject> {
  readonly fields: Partial<Static<Schema>>;
  readonly details: readonly FieldError[];
}

/** Returns a parser that throws the 400 only if the value is not an object. */
export function partialParser<Schema extends TObject>(
  schema: Schema,
): (value: unknown) => PartlyParsed<Schema> {
  // Compiled at the first use, so that a start does not wait for it.
  const whole = once(() => TypeCompiler.Compile(schema));
  const problems = problemFinder(schema);
  const checks = once(() =>
    Object.entries(schema.properties).map(
      ([field, property]) => [field, TypeCompiler.Compile(property)] as const,
    ),
  );
  return (given) => {
    if (whole().Check(given)) return { fields: given, details: [] };
    const value = withoutNulls(schema, given);
    if (whole().Check(value)) return { fields: value, details: [] };
    const details = problems(value);
    if (!isFields(value)) throw validationError(details);
    // Checked one by one, because `details` names only some of the wrong fields.
    const good = checks().flatMap(([field, check]) => {
      const one: unknown = Object.hasOwn(value, field) ? Reflect.get(value, field) : undefined;
      return one !== undefined && check.Check(one) ? [[field, one]] : [];
    });
    return { fields: Object.fromEntries(good), details };
  };
}

/** Parses SOL by its decimal digits, so that 0.1 is exact. @throws {ServiceError} 400 */
export function parseSolAmount(field: string, sol: number, max: bigint): bigint {
  try {
    const lamports = parseSol(plainDigits(sol));
    if (lamports > 0n && lamports <= max) return lamports;
  } catch {}
  const range = `must be more than 0 and at most ${formatSol(max)}, with at most 9 decimals`;
  throw validationError([{ field, message: range }]);
}

function plainDigits(sol: number): string {
  const text = sol.toFixed(9);
  return Number(text) === sol ? text : String(sol);
}
