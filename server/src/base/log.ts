import { isatty } from "node:tty";
import pino, { type DestinationStream, type Logger } from "pino";
import { serializeError } from "./log-error.ts";
import { readableLine } from "./log-lines.ts";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields whose values never appear. Nothing logs them today; this guards against mistakes. */
const SECRET_FIELDS = [
  "authorization",
  "body",
  "headers",
  "nonce",
  "privateKey",
  "rpcUrl",
  "rpcUrls",
  "secret",
  "secretKey",
  "signature",
  "signedTransaction",
  "token",
  "transaction",
];

function stderr(isTerminal: boolean): DestinationStream {
  const destination = pino.destination({ dest: 2, sync: true });
  if (!isTerminal) return destination;
  return { write: (line) => destination.write(readableLine(line)) };
}

/**
 * Writes structured lines to stderr: readable for a terminal, otherwise JSON.
 *
 * @param secrets texts that are removed from every line
 * @param destination takes the lines instead of stderr
 */
export function createLog(
  level: LogLevel,
  secrets: readonly string[] = [],
  destination: DestinationStream = stderr(isatty(2)),
): Logger {
  const escaped = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (error: unknown) => serializeError(error) },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]),
        censor: "[redacted]",
      },
      hooks: {
        streamWrite: (line) =>
          escaped.reduce((text, secret) => text.replaceAll(secret, "[redacted]"), line),
      },
    },
    destination,
  );
}
