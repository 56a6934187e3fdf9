import { Type } from "@sinclair/typebox";
import { limits } from "@tokenctl/shared/limits";

/** Fields that inputs of several tools have. */
export const tokenMint = Type.String({
  pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
  description: "The token's mint address, base58, as list_tokens shows it",
});

export const eventId = Type.String({
  pattern: "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
  description: "The launch's id, as launch_token returned it",
});

export const waitSeconds = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: 50,
    default: 20,
    description:
      "How long to wait for the launch to end, in seconds; default 20. It goes on in any case",
  }),
);

export const limit = Type.Optional(
  Type.Integer({
    minimum: limits.page.min,
    maximum: limits.page.max,
    default: 20,
    description: "Items of the page; default 20",
  }),
);

export const cursor = Type.Optional(
  Type.String({ description: "The nextCursor of the page before; absent for the first page" }),
);

/** A tool's input has these fields and no others. */
export const strict = { additionalProperties: false } as const;
