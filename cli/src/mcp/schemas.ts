import type { JsonSchemaType } from "@modelcontextprotocol/server";
import { type TProperties, type TSchema, Type } from "@sinclair/typebox";
import {
  ClaimHistorySchema,
  ClaimRecordSchema,
  PaidClaimSchema,
} from "@tokenctl/shared/contract/claim";
import { FeeThresholdListSchema } from "@tokenctl/shared/contract/event";
import { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { LaunchSchema, LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import { lenientSchema } from "@tokenctl/shared/contract/lenient";
import {
  DevAirdropSchema,
  DevGraduationSchema,
  DevTradeSchema,
} from "@tokenctl/shared/contract/sandbox";
import {
  HealthSchema,
  UploadedImageSchema,
  WalletBalanceSchema,
} from "@tokenctl/shared/contract/service";
import { TokenSchema } from "@tokenctl/shared/contract/token";
import * as t from "@tokenctl/shared/contract/values";

// Models send and get bodies of the contract, or parts of them. Models read the schemas of all
// tools, so these omit what an answer itself says.

const { name, ...others } = LaunchRequestSchema.properties;
const description = "Its first 32 bytes of UTF-8 go on chain, unless onChainName replaces them";
const launchToken = { name: { ...name, description }, ...others };

/** Arguments that people give as flags. */
export const argumentsOf = {
  launchToken,
  /** Has no descriptions, because `launch_token` has them. */
  checkLaunch: Object.fromEntries(
    Object.entries(launchToken).map(([field, { description: _, ...schema }]) => [field, schema]),
  ) as unknown as typeof launchToken,
};

const sol = Type.Number();
const text = Type.String();
const texts = Type.Array(text);
const whole = Type.Integer();
const flag = Type.Boolean();
const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);
const { nextCursor } = t;

const launchFields = ["eventId", "ticker", "status", "tokenMint", "error"] as const;
const token = Type.Pick(TokenSchema, [
  ...(["tokenMint", "ticker", "tokenName", "deployedAt", "holder", "launchedBy"] as const),
]);
const feeFields = ["tokenMint", "ticker", "claimableSOL", "isMigrated"] as const;
const receivers = Type.Array(Type.Object({ address: text, paidSOL: sol, paidLamports: text }));
const { receivers: _, ...paidClaim } = PaidClaimSchema.properties;

export const results = {
  airdrop: DevAirdropSchema,
  graduation: DevGraduationSchema,
  health: HealthSchema,
  image: UploadedImageSchema,
  thresholds: FeeThresholdListSchema,
  trade: DevTradeSchema,
  launchStatus: Type.Pick(LaunchStatusSchema, [...launchFields, "waitingFor", "costSOL"]),
  launches: Type.Object({
    launches: Type.Array(Type.Pick(LaunchSchema, [...launchFields])),
    nextCursor,
  }),
  launchCheck: Type.Object({
    ...Type.Pick(LaunchCheckSchema, ["ok", "endsAs", "ticker", "onChain"]).properties,
    refusals: Type.Array(Type.Object({ code: text, error: text })),
    payment: nullable(Type.Object({ requiredSOL: sol, balanceSOL: sol, canPay: flag })),
  }),
  token,
  tokens: Type.Object({ tokens: Type.Array(token), nextCursor }),
  events: Type.Object({
    events: Type.Array(Type.Object({ id: whole, type: text, timestamp: text })),
    nextAfter: whole,
  }),
  proof: Type.Object({
    tokenMint: text,
    passed: flag,
    facts: Type.Array(Type.Object({ name: text, verdict: text, passes: flag, text })),
  }),
  wallet: Type.Object({ ...WalletBalanceSchema.properties, network: text }),
  fees: Type.Object({
    claims: Type.Array(Type.Pick(ClaimRecordSchema, [...feeFields])),
    claimableSOL: sol,
  }),
  history: Type.Object({
    ...ClaimHistorySchema.properties,
    claims: Type.Array(Type.Object(paidClaim)),
  }),
  claimPreview: Type.Object({
    tokenMint: text,
    ticker: text,
    claimableSOL: sol,
    networkFeeSOL: sol,
    rentSOL: sol,
    sponsored: flag,
    receivers,
    claimToken: text,
    expiresInSeconds: whole,
  }),
  claimReceipt: Type.Object({
    tokenMint: text,
    transactionHash: text,
    claimedSOL: sol,
    gainedSOL: sol,
    receivers,
  }),
  claimReceipts: Type.Object({
    claimedSOL: sol,
    claims: Type.Array(Type.Object({ tokenMint: text, ticker: text, claimedSOL: sol })),
  }),
  policy: Type.Object({
    wallet: text,
    apiUrl: text,
    network: text,
    readOnly: flag,
    tools: texts,
    allowMainnet: flag,
    asksUser: flag,
    needsUser: flag,
    launches: Type.Object({
      maxPerDay: whole,
      today: nullable(texts),
      left: nullable(whole),
      maxCostSOL: nullable(text),
    }),
    claimFeesLeftSOL: text,
    claimsPay: text,
  }),
};

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that Claude, OpenAI, Gemini and Cursor accept. Errors explain the other rules. */
const OF_ARGUMENTS = ["description", "required", "additionalProperties", "minimum", "maximum"];

/** Keeps schemas short: a model reads those of all tools before its first call. */
export function inputSchema(fields: TProperties): JsonSchemaType {
  const schema = Type.Object(fields, { additionalProperties: false });
  return simple(JSON.parse(JSON.stringify(schema)), (key, value) => {
    // A long pattern helps no model: it copies addresses and ids.
    if (key === "pattern") return String(value).length <= 20;
    if (key === "maximum") return value !== Number.MAX_SAFE_INTEGER;
    return OF_ARGUMENTS.includes(key);
  });
}

/** Keeps only types: other versions of the service may add or remove fields and enum values. */
export function outputSchema(schema: TSchema): JsonSchemaType {
  return simple({ ...lenientSchema(schema) }, () => false);
}

/** Simplifies a schema to one type, or a choice of types, and to the keywords that are kept. */
function simple(schema: Schema, isKept: (key: string, value: unknown) => boolean): JsonSchemaType {
  const { type, properties, items, anyOf } = schema;
  const rest = Object.entries(schema).filter(([key, value]) => isKept(key, value));
  const below = (one: unknown) => simple(one as Schema, isKept);
  const parts = {
    ...Object.fromEntries(rest),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Schema).map(([name, field]) => [name, below(field)]),
      ),
    }),
    ...(items !== undefined && { items: below(items) }),
  };
  const texts = (anyOf as readonly Schema[] | undefined)?.map(({ const: only }) => only);
  if (texts?.every((one) => typeof one === "string")) {
    return { type: "string", enum: texts, ...parts };
  }
  if (!Array.isArray(type))
    return (type === undefined ? parts : { type, ...parts }) as JsonSchemaType;
  return { anyOf: type.map((one) => (one === "null" ? { type: one } : { type: one, ...parts })) };
}
