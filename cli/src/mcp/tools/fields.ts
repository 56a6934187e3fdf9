import { Type } from "@sinclair/typebox";
import { limits } from "@tokenctl/shared/limits";

/** Fields that inputs of several tools have. */
export const tokenMint = Type.String({
  pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
  description: "Mint address, from list_tokens",
  "x-rule": "must be a mint address: 32 to 44 characters of base58",
});

export const eventId = Type.String({
  pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  description: "The launch's id, as launch_token returned it",
  "x-rule": "must be the eventId of a launch, a UUID",
});

export const waitSeconds = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 50,
    default: 20,
    description: "Seconds to wait for the launch to end; it goes on in any case",
    "x-rule": "must be a whole number from 0 to 50",
  }),
);

export const limit = Type.Optional(
  Type.Integer({
    minimum: limits.page.min,
    maximum: limits.page.max,
    default: 20,
    description: "Items of the page",
    "x-rule": `must be a whole number from ${limits.page.min} to ${limits.page.max}`,
  }),
);

export const cursor = Type.Optional(
  Type.String({
    description: "nextCursor of the page before",
    "x-rule": "must be the nextCursor of the page before",
  }),
);

/** A tool's input has these fields and no others. */
export const strict = { additionalProperties: false } as const;
