const LEVELS: Readonly<Record<string, string>> = {
  trace: "TRACE",
  debug: "DEBUG",
  info: "INFO ",
  warn: "WARN ",
  error: "ERROR",
  fatal: "FATAL",
};

/**
 * Makes a line of the log (JSON) readable: time, level, message, the other fields as `name=value`,
 * and an error's stack. Texts stay escaped, because requests put texts into the log. Other lines
 * stay as they are.
 */
export function readableLine(line: string): string {
  const record = parse(line);
  if (record === null) return line;
  const { level, time, msg, err, ...fields } = record;
  const at = typeof time === "string" ? time.slice(11, 23) : "";
  const name = typeof level === "string" ? (LEVELS[level] ?? level) : "";
  const values = Object.entries(fields).map(([key, value]) => `${escaped(key)}=${shown(value)}`);
  const error = isObject(err) ? errorLines(err) : [];
  const first = [at, name, shown(msg ?? ""), ...values].join(" ").trimEnd();
  return `${[first, ...error].join("\n")}\n`;
}

/** An error as `serializeError` reduces it. */
function errorLines({ type, code, message, frames, cause }: Record<string, unknown>): string[] {
  const name = [type, code]
    .filter((part) => part !== undefined)
    .map(shown)
    .join(" ");
  return [
    `  ${name}: ${shown(message ?? "")}`,
    ...(Array.isArray(frames) ? frames.map((frame) => `    ${shown(frame)}`) : []),
    ...(isObject(cause) ? errorLines(cause).map((line) => `  ${line}`) : []),
  ];
}

/** @returns a text without quotes, any other value as JSON */
function shown(value: unknown): string {
  return typeof value === "string" ? escaped(value) : escaped(JSON.stringify(value) ?? "");
}

/** Control characters and marks that change the direction of writing, as JSON escapes them. */
function escaped(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
    (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}

function parse(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
