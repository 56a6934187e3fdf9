import {
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from "@sinclair/typebox";

/** Marks a choice that later versions may extend; clients must accept other texts. */
export const Open: unique symbol = Symbol("Open");

export const { Optional: optional } = Type;

export function object<P extends TProperties>(
  description: string,
  properties: P,
  options = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, description, ...options });
}

export function fields<P extends TProperties>(properties: P): TObject<P> {
  return Type.Object(properties, { additionalProperties: false });
}

export function field<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

export function nullable<T extends TSchema>(schema: T, description: string) {
  return Type.Unsafe<Static<T> | null>(Type.Union([schema, Type.Null()], { description }));
}

export function choice<const Text extends string>(
  texts: readonly Text[],
  description: string,
  options: { readonly "x-rule"?: string; readonly examples?: readonly Text[] } = {},
): TUnsafe<Text> {
  const choices = texts.map((text) => Type.Literal(text));
  return Type.Unsafe<Text>(Type.Union(choices, { description, ...options }));
}

export function openChoice<const Text extends string>(texts: readonly Text[], description: string) {
  return open(choice(texts, description));
}

export function open<T extends TSchema>(schema: T): T {
  return { ...schema, [Open]: true };
}

export function list<T extends TSchema>(items: T, description: string, options = {}) {
  return Type.Array(items, { description, ...options });
}

export function text(description: string, options = {}) {
  return Type.String({ description, ...options });
}

export function flag(description: string) {
  return Type.Boolean({ description });
}

export function number(description: string) {
  return Type.Number({ description });
}

/** A whole number of at least 0, or of at least `minimum`. */
export function whole(description: string, options = {}) {
  return Type.Integer({ minimum: 0, description, ...options });
}

export const string = Type.String();
export const payer = Type.Literal("agent", { description: "Present if the agent pays for it" });
export const success = Type.Literal(true, {
  description: "Always true; a refusal is an error answer",
});

export function timestamp(description = "ISO-8601 in UTC") {
  return text(description, {
    pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
    examples: ["2026-03-01T09:00:00.000Z"],
  });
}

/** @param rule the text in a request's details if the value is not an address */
export function address(description = "Base58 of 32 bytes", rule?: string) {
  return text(description, {
    pattern: "^[1-9A-HJ-NP-Za-km-z]{32,44}$",
    examples: ["9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
    ...(rule !== undefined && { "x-rule": rule }),
  });
}

export function signature(description = "Base58 of 64 bytes") {
  return text(description, {
    pattern: "^[1-9A-HJ-NP-Za-km-z]{64,88}$",
    examples: [
      "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    ],
  });
}

export function uuid(description = "UUID v4") {
  return text(description, {
    pattern: "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
    examples: ["3f2b8c1e-7d4a-4e9b-9c61-0a5d2f7b8e34"],
  });
}

export function sol(description = "SOL") {
  return Type.Number({ minimum: 0, description, examples: [0.001234567] });
}

export function positiveSol(description: string, max: number) {
  return Type.Number({
    minimum: 1e-9,
    maximum: max,
    description: `${description}, with at most nine decimals`,
    examples: [0.5],
    "x-rule": `must be a number of more than 0 and at most ${max}, with at most 9 decimals`,
  });
}

/** 39 digits hold more lamports than exist, and bound the cost of parsing. */
export const LAMPORTS_PATTERN = "^\\d{1,39}$";

export function lamports(description?: string) {
  return Type.String({
    pattern: LAMPORTS_PATTERN,
    examples: ["1234567"],
    ...(description !== undefined && { description }),
  });
}

export const ticker = text("The token's ticker", { examples: ["AGENT"] });
export const tokenName = text("The token's name", { examples: ["An agent's token"] });
export const mint = address("The token's mint address, base58");
export const pool = address("The address of the token's pool, base58");
export const transactionHash = signature("The transaction's signature, base58");
export const transaction = text("The transaction to sign, base64", {
  pattern: "^[A-Za-z0-9+/]+={0,2}$",
});
export const expiresInSeconds = whole(
  "Seconds within which the signed transaction must be sent back, estimated from the chain's measured speed",
  { examples: [57] },
);
export const deployedAt = timestamp("When the token was put on chain; ISO-8601 in UTC");

export const nextCursor = optional(text("The `cursor` of the next page; absent after the last"));
