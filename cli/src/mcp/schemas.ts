import { Type } from "@sinclair/typebox";
import {
  ClaimHistorySchema,
  ClaimListSchema,
  PaidClaimSchema,
} from "@tokenctl/shared/contract/claim";
import { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { WalletBalanceSchema } from "@tokenctl/shared/contract/service";

// What models send and get where that is not a body of the contract. Models read the schemas of all tools, so
// these leave out what an answer says itself.

const { name, ...others } = LaunchRequestSchema.properties;
const description = "Its first 32 bytes of UTF-8 go on chain, unless onChainName replaces them";
export const launchArguments = { name: { ...name, description }, ...others };

/** `launch_token` describes these arguments. */
export const checkedArguments = Object.fromEntries(
  Object.entries(launchArguments).map(([field, { description: _, ...schema }]) => [field, schema]),
) as unknown as typeof launchArguments;

export const launchCheck = Type.Pick(LaunchCheckSchema, [
  ...(["ok", "refusals", "endsAs", "ticker", "onChain", "expectedSeconds", "payment"] as const),
]);

const sol = Type.Number();
const text = Type.String();
const texts = Type.Array(text);
const whole = Type.Integer();
const flag = Type.Boolean();

export const wallet = Type.Object({ ...WalletBalanceSchema.properties, network: text });

export const fees = Type.Object({ ...ClaimListSchema.properties, claimableSOL: sol });

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
  verified: flag,
  gainedSOL: sol,
  receivers,
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
    today: Type.Union([texts, Type.Null()]),
    left: Type.Union([whole, Type.Null()]),
    maxCostSOL: Type.Union([text, Type.Null()]),
  }),
  claimFeesLeftSOL: text,
  claimsPay: text,
});
