import { limits } from "@tokenctl/shared/limits";

export interface Parameter {
  /** As requests write it, if that differs from the key. */
  readonly name?: string;
  readonly description: string;
  readonly schema: object;
}

const address = {
  type: "string",
  pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
  examples: ["9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
};
const eventId = {
  type: "string",
  format: "uuid",
  examples: ["3f2b8c1e-7d4a-4e9b-9c61-0a5d2f7b8e34"],
};

/** A date of ISO-8601, or a time of it in UTC. */
const time = {
  type: "string",
  pattern: "^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z)?$",
  examples: ["2026-01-31", "2026-01-31T09:30:00Z"],
};

function minimumAndMaximum({ min, max }: { readonly min: number; readonly max: number }) {
  return { minimum: min, maximum: max };
}

/** The parameters of paths that mean the same in each, by their names in the route table. */
export const PARAMETERS: Readonly<Record<string, Parameter>> = {
  eventId: { description: "The `eventId` of the launch", schema: eventId },
  id: {
    description: "The `id` of the webhook",
    schema: { type: "string", format: "uuid", examples: ["3f2b8c1e-7d4a-4e9b-9c61-0a5d2f7b8e34"] },
  },
  mintAddress: { description: "The token's mint address", schema: address },
};

/** The parameters of queries. */
export const QUERY = {
  limit: {
    description: "Items of the page at most; without it the whole list",
    schema: { type: "integer", minimum: limits.page.min, maximum: limits.page.max },
  },
  cursor: {
    description: "The `nextCursor` of the answer before, together with `limit`",
    schema: { type: "string", maxLength: 32 },
  },
  status: {
    description: "Only launches with this status",
    schema: { type: "string", enum: ["pending", "success", "failed", "rate_limited"] },
  },
  wallet: { description: "Another wallet than the agent's own", schema: address },
  token: { description: "Only claims of this token, by its mint address", schema: address },
  from: { description: "Only what happened then or later", schema: time },
  to: { description: "Only what happened before", schema: time },
  after: {
    description:
      "The `id` of an event, for those after it; 0 for all that are kept, `latest` for those to come",
    // The id may be the number that an answer has as `nextAfter`.
    schema: {
      anyOf: [
        { type: "integer", minimum: 0, maximum: 999_999_999_999_999 },
        { type: "string", enum: ["latest"] },
      ],
      examples: [0, "latest"],
    },
  },
  wait: {
    description: "Seconds to wait for an event if there is none",
    schema: { type: "integer", ...minimumAndMaximum(limits.eventWait) },
  },
  launchWait: {
    description: "Seconds to wait for the end of a launch that is pending",
    name: "wait",
    schema: { type: "integer", ...minimumAndMaximum(limits.eventWait) },
  },
  eventLimit: {
    description: `Events of the answer at most; ${limits.events.byDefault} by default`,
    name: "limit",
    schema: { type: "integer", ...minimumAndMaximum(limits.events) },
  },
} as const satisfies Record<string, Parameter>;

export type QueryName = keyof typeof QUERY;

/** The headers that requests may have, beside `Authorization` and `Content-Type`. */
export const HEADERS = {
  "Idempotency-Key": {
    description:
      "Any text of the client's own. The same request under the same key is done once, and answered as the first one was; another request under it is answered 409 `idempotency_mismatch`",
    schema: {
      type: "string",
      minLength: 1,
      maxLength: 255,
      pattern: "^[!-~]+$",
      examples: ["7d4ab2b0-6f0e-4f5c-8d5e-2a1b9c3d4e5f"],
    },
  },
  "If-None-Match": {
    description: "The `ETag` of an earlier answer: if it is still the same, the answer is 304",
    schema: { type: "string", examples: ['"0a1b2c3d"'] },
  },
  "Last-Event-ID": {
    description:
      "The `id` of the last event that was read, for those after it. It counts more than `after`",
    schema: { type: "integer", minimum: 0, maximum: 999_999_999_999_999 },
  },
} as const satisfies Record<string, Parameter>;

export type HeaderName = keyof typeof HEADERS;
