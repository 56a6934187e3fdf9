import { limits } from "@tokenctl/shared/limits";
import { type Clock, systemClock } from "../base/clock.ts";
import { ServiceError } from "../base/service-error.ts";
import { validationError } from "./validation.ts";

const UTF_8 = new TextDecoder("utf-8", { fatal: true });
const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
type Timer = Pick<Clock, "after">;

/** Milliseconds in which the whole body must arrive, however slowly its bytes come. */
const DEADLINE_MS = 15_000;
/** How often the pace of a large body is checked, in milliseconds. */
const PACE_EVERY_MS = 250;

/**
 * Reads a request's JSON body. Routes call this because Elysia's `body` is read before the bearer
 * token is checked, without a deadline and at any size.
 *
 * @param clock of the deadline. Default: the system's, because bytes come in real time
 * @returns undefined without a body
 * @throws {ServiceError} as {@link readBytes}, 415 if it is not declared as JSON, 400 if it is not
 * JSON
 */
export async function readJson(request: Request, clock: Timer = systemClock): Promise<unknown> {
  const bytes = await readBytes(request, clock);
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
  if (declaredBytes(request) > maxBytes) throw tooLarge(maxBytes);
  let length = 0;
  const count = (bytes: number) => {
    length += bytes;
    onBytes(bytes);
  };
  const start = performance.now();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const pace = setInterval(() => {
    const seconds = (performance.now() - start - graceMs) / 1_000;
    if (length < seconds * bytesPerSecond) {
      reject(tooLate(`It must arrive with at least ${bytesPerSecond} bytes a second.`));
    }
  }, PACE_EVERY_MS);
  try {
    return await readChunks(request.body, maxBytes, { late, count });
  } finally {
    clearInterval(pace);
  }
}

/**
 * Reads at most 64 KiB. @throws {ServiceError} 408 if it takes too long, 413, 400 if it is not
 * complete
 */
export async function readBytes(request: Request, clock: Timer = systemClock): Promise<Uint8Array> {
  const declared = declaredBytes(request);
  if (declared === 0) return new Uint8Array();
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

/** @returns the length that the request declares; NaN if it declares none */
function declaredBytes({ headers }: Request): number {
  return Number(headers.get("content-length") ?? Number.NaN);
}

/** @param watch `late` rejects if it takes too long; `count` is called with each piece's bytes */
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
    }
  } catch (fault) {
    // Otherwise the rest would go on arriving, and be kept.
    void reader.cancel().catch(() => {});
    throw faultOf(fault);
  }
}

/** Any error of the stream means that the client closed the connection, so this answer is not read. */
function faultOf(fault: unknown): ServiceError {
  if (fault instanceof ServiceError) return fault;
  return validationError([{ field: "body", message: "did not arrive whole" }]);
}

function tooLate(advice: string): ServiceError {
  return new ServiceError("body_too_late", { advice });
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError("body_too_large", {
    advice: `A request body may have ${maxBytes} bytes.`,
  });
}
