/** Returns the value as plain JSON, with bigints as text in digits, because JSON has no bigint. */
export function plainJson(value: object): object {
  return JSON.parse(
    JSON.stringify(value, (_, part) => (typeof part === "bigint" ? part.toString() : part)),
  );
}

/** Returns a copy that `JSON.stringify` can write although its amounts are bigints. */
export function withJson<T extends object>(value: T): T {
  return Object.defineProperty({ ...value }, "toJSON", { value: () => plainJson({ ...value }) });
}
