import { limits } from "@tokenctl/shared/limits";
import { ServiceError } from "../base/service-error.ts";
import { validationError } from "./validation.ts";

const UTF_8 = new TextDecoder("utf-8", { fatal: true });
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
/** Milliseconds in which the whole body must arrive, however slowly its bytes come. */
const DEADLINE_MS = 15_000;
/** How often the pace of a large body is checked, in milliseconds. */
const PACE_EVERY_MS = 250;

/**
 * Reads a request's JSON body, at most 64 KiB of it.
 *
 * Routes call this instead of using Elysia's `body`: Elysia reads the body before the bearer token
 * is checked, without a deadline, and the body may have as many bytes as Bun admits.
 *
 * @returns the parsed value, or undefined if the request has no body
 * @throws {ServiceError} 408 if it takes too long, 413 if it is larger, 415 if it is not declared
 * as JSON, 400 if it is not JSON or not complete
 */
export async function readJson(request: Request, deadlineMs = DEADLINE_MS): Promise<unknown> {
  const bytes = await readBytes(request, deadlineMs);
  if (bytes.length === 0) return undefined;
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) {
    throw new ServiceError("unsupported_media_type");
  }
  try {
    return JSON.parse(UTF_8.decode(bytes));
  } catch {
    throw validationError([{ field: "body", message: "is not valid JSON in UTF-8" }]);
  }
}

/** How fast a large body must arrive, and what counts its bytes. */
export interface PacedOptions {
  readonly maxBytes: number;
  /** Milliseconds in which nothing needs to arrive. */
  readonly graceMs: number;
  /** What must have arrived on average after that. */
  readonly bytesPerSecond: number;
  /** Called with the number of bytes of each piece that arrives; may throw a `ServiceError`. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Reads a request's body as long as it arrives fast enough, whatever its length.
 *
 * @throws {ServiceError} 408 if it is too slow, 413 if it is larger, 400 if it is not complete, and what
 * `onBytes` throws
 */
export async function readPaced(request: Request, options: PacedOptions): Promise<Uint8Array> {
  const { maxBytes, graceMs, bytesPerSecond, onBytes } = options;
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const start = performance.now();
  const { promise: slow, reject } = Promise.withResolvers<never>();
  const pace = setInterval(() => {
    const seconds = (performance.now() - start - graceMs) / 1_000;
    if (length < seconds * bytesPerSecond) reject(tooSlow(bytesPerSecond));
  }, PACE_EVERY_MS);
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), slow]);
      if (done) return Buffer.concat(chunks);
      length += value.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      onBytes(value.length);
      chunks.push(value);
    }
  } catch (fault) {
    // Otherwise the rest would go on arriving, and be kept.
    void reader.cancel().catch(() => {});
    throw fault instanceof ServiceError ? fault : incomplete();
  } finally {
    clearInterval(pace);
  }
}

/**
 * Reads a request's body, at most 64 KiB of it.
 *
 * @throws {ServiceError} 408 if it takes too long, 413 if it is larger, 400 if it is not complete
 */
export async function readBytes(request: Request, deadlineMs = DEADLINE_MS): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared === 0) return new Uint8Array();
  if (declared > limits.bodyBytes) throw tooLarge(limits.bodyBytes);
  if (!Number.isNaN(declared)) return within(deadlineMs, request.bytes());
  // Not earlier: reading `request.body` creates a stream, which most requests do not need.
  return request.body === null
    ? new Uint8Array()
    : within(deadlineMs, readChunks(request.body, limits.bodyBytes));
}

function within(deadlineMs: number, reading: Promise<Uint8Array>): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const timer = setTimeout(() => reject(tooLate(deadlineMs)), deadlineMs);
  reading.then(
    (bytes) => {
      clearTimeout(timer);
      resolve(bytes);
    },
    (fault: unknown) => {
      clearTimeout(timer);
      // Any other error means that the client closed the connection, so this answer is not read.
      reject(fault instanceof ServiceError ? fault : incomplete());
    },
  );
  return promise;
}

function incomplete(): ServiceError {
  return validationError([{ field: "body", message: "did not arrive whole" }]);
}

/** Reads a body of unknown length, and stops at the limit. */
async function readChunks(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLate(deadlineMs: number): ServiceError {
  return new ServiceError("body_too_late", {
    advice: `The whole request body must arrive within ${deadlineMs / 1000} s.`,
  });
}

function tooSlow(bytesPerSecond: number): ServiceError {
  return new ServiceError("body_too_late", {
    advice: `It must arrive with at least ${bytesPerSecond} bytes a second.`,
  });
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("body_too_large", {
    advice: `A request body may have ${maxBytes} bytes.`,
  });
}
