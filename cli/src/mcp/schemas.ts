import { type TSchema, Type } from "@sinclair/typebox";
import {
  ClaimHistorySchema,
  ClaimRecordSchema,
  PaidClaimSchema,
} from "@tokenctl/shared/contract/claim";
import { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { LaunchSchema, LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import { WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import { TokenSchema } from "@tokenctl/shared/contract/token";
import * as t from "@tokenctl/shared/contract/values";

// What models send and get where that is not a body of the contract. Models read the schemas of all tools, so
// these leave out what an answer says itself.

const { name, ...others } = LaunchRequestSchema.properties;
const description = "Its first 32 bytes of UTF-8 go on chain, unless onChainName replaces them";
export const launchArguments = { name: { ...name, description }, ...others };

/** `launch_token` describes these arguments. */
export const checkedArguments = Object.fromEntries(
  Object.entries(launchArguments).map(([field, { description: _, ...schema }]) => [field, schema]),
) as unknown as typeof launchArguments;

const launchFields = ["eventId", "ticker", "status", "tokenMint", "error"] as const;
export const launchStatus = Type.Pick(LaunchStatusSchema, [
  ...launchFields,
  "waitingFor",
  "costSOL",
]);
export const launches = Type.Object({
  launches: Type.Array(Type.Pick(LaunchSchema, [...launchFields])),
  nextCursor: t.nextCursor,
});

export const token = Type.Pick(TokenSchema, [
  ...(["tokenMint", "ticker", "tokenName", "deployedAt", "holder", "launchedBy"] as const),
]);
export const tokens = Type.Object({ tokens: Type.Array(token), nextCursor: t.nextCursor });

const sol = Type.Number();
const text = Type.String();
const texts = Type.Array(text);
const whole = Type.Integer();
const flag = Type.Boolean();
export const events = Type.Object({
  events: Type.Array(Type.Object({ id: whole, type: text, timestamp: text })),
  nextAfter: whole,
});

export const proof = Type.Object({
  tokenMint: text,
  passed: flag,
  facts: Type.Array(Type.Object({ name: text, verdict: text, passes: flag, text })),
});

const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);

export const launchCheck = Type.Object({
  ...Type.Pick(LaunchCheckSchema, ["ok", "endsAs", "ticker", "onChain"]).properties,
  refusals: Type.Array(Type.Object({ code: text, error: text })),
  payment: nullable(Type.Object({ requiredSOL: sol, balanceSOL: sol, canPay: flag })),
});

export const wallet = Type.Object({ ...WalletBalanceSchema.properties, network: text });

const feeFields = ["tokenMint", "ticker", "claimableSOL", "isMigrated"] as const;
export const fees = Type.Object({
  claims: Type.Array(Type.Pick(ClaimRecordSchema, [...feeFields])),
  claimableSOL: sol,
});

const { receivers: _, ...paidClaim } = PaidClaimSchema.properties;
export const history = Type.Object({
  ...ClaimHistorySchema.properties,
  claims: Type.Array(Type.Object(paidClaim)),
});

const receivers = Type.Array(Type.Object({ address: text, paidSOL: sol, paidLamports: text }));

export const claimPreview = Type.Object({
  tokenMint: text,
  ticker: text,
  claimableSOL: sol,
  networkFeeSOL: sol,
  rentSOL: sol,
  sponsored: flag,
  receivers,
  claimToken: text,
  expiresInSeconds: whole,
});

export const claimReceipt = Type.Object({
  tokenMint: text,
  transactionHash: text,
  claimedSOL: sol,
  gainedSOL: sol,
  receivers,
});

export const claimReceipts = Type.Object({
  claimedSOL: sol,
  claims: Type.Array(Type.Object({ tokenMint: text, ticker: text, claimedSOL: sol })),
});

export const policy = Type.Object({
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
});
