/** Checks one JSON value. Returns what is wrong with it, or null if it is right. */
export type Check = (value: unknown) => string | null;

/** A check for every field of `T`. */
export type Fields<T> = { readonly [Field in keyof T]-?: Check };

export const string: Check = (value) => (typeof value === "string" ? null : "is not a string");
export const boolean: Check = (value) => (typeof value === "boolean" ? null : "is not a boolean");

/** A whole number of lamports as text; 39 digits hold more than there are. */
export const lamports: Check = (value) =>
  typeof value === "string" && /^\d{1,39}$/.test(value) ? null : "is not a number of lamports";

/** A finite number, 0 or more. */
export const amount: Check = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? null : "is not an amount";

export const nullable =
  (check: Check): Check =>
  (value) => {
    const problem = value === null ? null : check(value);
    return problem === null ? null : `${problem} or null`;
  };

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? null : check(value);

export const oneOf =
  (...allowed: readonly unknown[]): Check =>
  (value) =>
    allowed.includes(value) ? null : `is none of ${allowed.join(", ")}`;

/** Puts a problem's place before it, for example `.tokens[2].ticker is not a string`. */
const under = (place: string, problem: string) =>
  /^\w/.test(problem) ? `${place} ${problem}` : place + problem;

export const listOf =
  (check: Check): Check =>
  (value) => {
    if (!Array.isArray(value)) return "is not an array";
    for (const [index, item] of value.entries()) {
      const problem = check(item);
      if (problem !== null) return under(`[${index}]`, problem);
    }
    return null;
  };

/** An object with these fields. It may have others, so that a newer server can add some. */
export const object =
  <T>(fields: Fields<T>): Check =>
  (value) => {
    if (typeof value !== "object" || value === null) return " is not an object";
    for (const [field, check] of Object.entries<Check>(fields)) {
      const problem = check((value as Record<string, unknown>)[field]);
      if (problem !== null) return under(`.${field}`, problem);
    }
    return null;
  };
