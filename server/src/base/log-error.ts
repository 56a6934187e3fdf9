export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message: string;
  /** The stack's frames, without the message before them. */
  readonly frames?: readonly string[];
  readonly cause?: LoggedError;
}

/** How many causes of an error are followed: they may form a ring. */
const MAX_DEPTH = 5;
const MAX_FRAMES = 12;
const MAX_MESSAGE = 500;

/** URLs may carry API keys, especially those of RPC nodes. */
const URL = /[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)]+/gi;
/** Long enough for a token, a key, a signature or a transaction, in hex, base58 or base64. */
const LONG_RUN = /[A-Za-z0-9+/=_-]{60,}/g;

/** What may be logged of an error. Its other properties and drizzle's message may hold secrets. */
export function serializeError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: scrub(String(error)) };
  const code = "code" in error ? String(error.code) : undefined;
  const frames = stackFrames(error);
  return {
    type: error.name,
    ...(code !== undefined && { code: scrub(code) }),
    message: scrub(error.message),
    ...(frames.length > 0 && { frames }),
    ...(error.cause !== undefined &&
      depth < MAX_DEPTH && { cause: serializeError(error.cause, depth + 1) }),
  };
}

/** @returns the text without URLs and without anything that could be a secret */
export function scrub(text: string): string {
  // drizzle: "Failed query: …\nparams: …".
  const statement = text.split("\nparams:")[0] ?? "";
  const scrubbed = statement.replace(URL, "[url]").replace(LONG_RUN, "[redacted]");
  return scrubbed.length > MAX_MESSAGE ? `${scrubbed.slice(0, MAX_MESSAGE)}…` : scrubbed;
}

function stackFrames({ stack }: Error): string[] {
  const frames = (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return frames.slice(0, MAX_FRAMES).map((frame) => frame.trim());
}
