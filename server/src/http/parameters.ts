import * as t from "@tokenctl/shared/contract/values";
import { limits } from "@tokenctl/shared/limits";
import { LAUNCH_STATUSES } from "@tokenctl/shared/words";
import { decodeAddress } from "../base/base58.ts";
import { validationError } from "./body.ts";

export interface DescribedParameter {
  readonly description: string;
  readonly schema: object;
}

export interface Parameter<Value = unknown> extends DescribedParameter {
  readonly name?: string;
  readonly rule?: string;
  readonly absent?: Value;
  parse(text: string, given: Given): Value | undefined;
}

export type Parameters = Readonly<Record<string, Parameter>>;

type Given = (name: string) => string | undefined;

export type ValuesOf<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Parameter<infer Value> ? Value : never;
};

/** @throws {ServiceError} 400 that names the first invalid parameter */
export function readParameters<Table extends Parameters>(
  table: Table,
  given: Given,
): ValuesOf<Table> {
  const values: Record<string, unknown> = {};
  for (const key in table) {
    const { name = key, absent = null, parse, rule = "is not valid" } = table[key] as Parameter;
    const text = given(name);
    const value = text === undefined ? absent : parse(text, given);
    if (value === undefined) throw validationError([{ field: name, message: rule }]);
    values[key] = value;
  }
  return values as ValuesOf<Table>;
}

const parameter = <Value>(of: Parameter<Value>): Parameter<Value> => of;

export const PATH_PARAMETERS: Readonly<Record<string, DescribedParameter>> = {
  eventId: { description: "The `eventId` of the launch", schema: t.uuid() },
  id: { description: "The `id` of the webhook", schema: t.uuid() },
  mintAddress: { description: "The token's mint address", schema: t.address() },
};

interface Range {
  readonly min: number;
  readonly max: number;
}

export function whole<Absent extends number | null>(
  { min, max, absent }: Range & { readonly absent: Absent },
  description: string,
) {
  return parameter<number | Absent>({
    description,
    schema: { type: "integer", minimum: min, maximum: max },
    rule: `must be a whole number from ${min} to ${max}`,
    absent,
    parse: (text) => (/^\d{1,4}$/.test(text) && +text >= min && +text <= max ? +text : undefined),
  });
}

function oneOf<Value extends string | number | boolean, Absent extends Value | null>(
  values: readonly Value[],
  { absent, ...of }: { readonly description: string; readonly absent: Absent },
) {
  const [type] = values.map((value) => (typeof value === "number" ? "integer" : typeof value));
  return parameter<Value | Absent>({
    ...of,
    schema: { type, enum: values, ...(absent !== null && { default: absent }) },
    rule: `must be one of ${values.join(", ")}`,
    absent,
    parse: (text) => values.find((value) => String(value) === text),
  });
}

export const PAGE = {
  limit: whole(
    { ...limits.page, absent: null },
    "Items of the page at most; without it the whole list",
  ),
  before: parameter<number | null>({
    name: "cursor",
    description: "The `nextCursor` of the previous answer, together with `limit`",
    schema: { type: "string", maxLength: 32 },
    rule: "must be the nextCursor of an answer, together with limit",
    parse: (text, given) => (given("limit") === undefined ? undefined : decodeCursor(text)),
  }),
};

export const RECEIVED = oneOf<boolean, false>([true, false], {
  description: "`true` to include tokens that the agent has received and accepted",
  absent: false,
});

export const LAUNCH_STATUS = oneOf(LAUNCH_STATUSES, {
  description: "Only launches with this status",
  absent: null,
});

export const WALLET = parameter<string | null>({
  description: "A wallet other than the agent's own",
  schema: t.address(),
  rule: "must be a base58 wallet address",
  parse: (text) => (decodeAddress(text) ? text : undefined),
});

export const TOKEN = parameter<string | null>({
  description: "Only claims of this token, by its mint address",
  schema: t.address(),
  parse: (text) => text,
});

export const PERIOD = oneOf(["day", "month"], {
  description: "Prices of each minute of the last 24 hours, or of each hour of the last 30 days",
  absent: "day",
});

export const IMAGE_SIZE = oneOf<number, null>(limits.image.sizes, {
  description:
    "Pixels of the shorter side, for a smaller version; an image that is no larger is returned as stored",
  absent: null,
});

export const MINTS = parameter<readonly string[]>({
  description: `Mint addresses of tokens, with commas between them: 1 to ${limits.markets.tokens}`,
  schema: { type: "string", maxLength: 45 * limits.markets.tokens },
  rule: `must be 1 to ${limits.markets.tokens} mint addresses with commas between them`,
  absent: [],
  parse(text) {
    const mints = text.split(",");
    const areAll =
      mints.length <= limits.markets.tokens && mints.every((mint) => decodeAddress(mint));
    return areAll ? mints : undefined;
  },
});

const EVENT_ID = { type: "integer", minimum: 0, maximum: 999_999_999_999_999 };
const EVENT_RULE = "must be the id of an event, 0 for all";

const eventId = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined);

export const AFTER = parameter<number | "latest" | null>({
  description:
    "The `id` of an event, for those after it; 0 for all that are kept, `latest` for those to come",
  // The id may be the `nextAfter` of an answer.
  schema: { anyOf: [EVENT_ID, { type: "string", enum: ["latest"] }], examples: [0, "latest"] },
  rule: `${EVENT_RULE}, or "latest" for those to come`,
  parse: (text) => (text === "latest" ? text : eventId(text)),
});

export const LAST_EVENT_ID = parameter<number | null>({
  description:
    "The `id` of the last event that was read, for those after it. It takes precedence over `after`",
  schema: EVENT_ID,
  rule: EVENT_RULE,
  // Empty means that there was no last event.
  parse: (text) => (text === "" ? null : eventId(text)),
});

export const IDEMPOTENCY_KEY = parameter<string | null>({
  description:
    "Any text of the client's own. The same request under the same key is done once, and answered as the first one was; another request under it is answered 409 `idempotency_mismatch`",
  schema: {
    type: "string",
    minLength: 1,
    maxLength: 255,
    pattern: "^[!-~]+$",
    examples: ["7d4ab2b0-6f0e-4f5c-8d5e-2a1b9c3d4e5f"],
  },
  rule: "must be 1 to 255 visible ASCII characters",
  parse: (text) => (/^[!-~]{1,255}$/.test(text) ? text : undefined),
});

export const IF_NONE_MATCH = parameter<string | null>({
  description: "The `ETag` of an earlier answer: if it is still the same, the answer is 304",
  schema: { type: "string", examples: ['"0a1b2c3d"'] },
  parse: (text) => text,
});

export interface PageRequest {
  readonly limit: number | null;
  readonly before: number | null;
}

/** Cursors look opaque, so that clients do not depend on their content. */
export const encodeCursor = (id: number) => Buffer.from(`id:${id}`).toString("base64url");

export function decodeCursor(cursor: string): number | undefined {
  if (cursor.length > 32) return undefined;
  const match = /^id:(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  return match ? Number(match[1]) : undefined;
}
