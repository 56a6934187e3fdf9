import { Type } from "@sinclair/typebox";
import { limits } from "@tokenctl/shared/limits";

export const DEFAULT_LIMIT = 20;
export const DEFAULT_WAIT_SECONDS = 20;

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

export function whole(description: string, min: number, max: number, byDefault: number) {
  return Type.Optional(
    Type.Integer({
      minimum: min,
      maximum: max,
      default: byDefault,
      description,
      "x-rule": `must be a whole number from ${min} to ${max}`,
    }),
  );
}

export const waitSeconds = whole(
  "Seconds to wait for the launch to end; it continues in any case",
  0,
  50,
  DEFAULT_WAIT_SECONDS,
);

const { min, max } = limits.page;
export const limit = whole("Items of the page", min, max, DEFAULT_LIMIT);

export const cursor = Type.Optional(
  Type.String({
    description: "nextCursor of the previous page",
    "x-rule": "must be the nextCursor of the previous page",
  }),
);

export function more({ nextCursor }: { readonly nextCursor?: string }): string {
  return nextCursor === undefined ? "" : " There are more: use nextCursor.";
}
