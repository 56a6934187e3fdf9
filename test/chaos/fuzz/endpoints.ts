import { type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { ChallengeSchema, SessionSchema } from "@tokenctl/shared/contract/auth";
import {
  ClaimHistorySchema,
  ClaimListSchema,
  ClaimReceiptSchema,
  PreparedClaimSchema,
} from "@tokenctl/shared/contract/claim";
import { AgentEventListSchema, FeeThresholdListSchema } from "@tokenctl/shared/contract/event";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { LaunchCheckSchema } from "@tokenctl/shared/contract/launch-check";
import { LaunchListSchema, LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import { MarketHistorySchema, MarketListSchema } from "@tokenctl/shared/contract/market";
import { CheckedProofSchema } from "@tokenctl/shared/contract/proof";
import { HealthSchema, WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import {
  MetadataDocumentSchema,
  PublicTokenSchema,
  TokenListSchema,
  TokenSchema,
} from "@tokenctl/shared/contract/token";
import {
  ReplayAcceptedSchema,
  WebhookDeliveryListSchema,
  WebhookDeliverySchema,
  WebhookListSchema,
  WebhookRemovedSchema,
  WebhookWithSecretSchema,
} from "@tokenctl/shared/contract/webhook";

/** Who may use an endpoint: everyone, or agents that have signed in. */
type Access = "public" | "agent";

export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path, with `*` for its parameter. */
  readonly path: string;
  /** A value of the parameter that exists. */
  readonly parameter: string;
  readonly access: Access;
  /** A good body, by field; null if the endpoint takes none. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Checks the shape of a good answer. */
  readonly answer: TypeCheck<TSchema>;
  /** Whether it speaks JSON-RPC, whose errors have their own shape. */
  readonly isRpc?: boolean;
}

const strict = { additionalProperties: false } as const;
const success = Type.Literal(true);
const signature = Type.String({ minLength: 64 });

const AirdropSchema = Type.Object(
  { success, signature, wallet: Type.String(), sol: Type.Number() },
  strict,
);
const TradeSchema = Type.Object(
  {
    success,
    signature,
    side: Type.Union([Type.Literal("buy"), Type.Literal("sell")]),
    sol: Type.Number(),
    tokens: Type.String({ pattern: "^\\d+$" }),
    creatorFeeSOL: Type.Number({ minimum: 0 }),
    isMigrated: Type.Boolean(),
  },
  strict,
);
const GraduationSchema = Type.Object({ success, signature, isMigrated: success }, strict);
const ClaimSchema = Type.Union([PreparedClaimSchema, ClaimReceiptSchema]);
const RpcReplySchema = Type.Object({ jsonrpc: Type.Literal("2.0") });
const RpcSchema = Type.Union([RpcReplySchema, Type.Array(RpcReplySchema), Type.Literal("")]);

/** @param path the path, and after a space a value of its parameter that exists */
function endpoint(
  method: Endpoint["method"],
  path: string,
  access: Access,
  answer: TSchema,
  body: Readonly<Record<string, unknown>> | null = null,
  isRpc = false,
): Endpoint {
  const [pattern = "", parameter = ""] = path.split(" ");
  const check = TypeCompiler.Compile(answer);
  return { method, path: pattern, parameter, access, body, answer: check, isRpc };
}

/** A launch's fields; `*` stands for a new ticker. */
const launch = {
  name: "A token",
  ticker: "*",
  description: "What it is about",
  imageUrl: "https://example.com/a.png",
  website: "https://example.com",
  twitter: "https://x.com/example",
  telegram: "https://t.me/example",
  inviteCode: "a code",
};

/** All endpoints of a service on the embedded chain. */
export const ENDPOINTS: readonly Endpoint[] = [
  endpoint("GET", "/health", "public", HealthSchema),
  endpoint("GET", "/openapi", "public", Type.String()),
  endpoint("GET", "/openapi/json", "public", Type.Object({ openapi: Type.String() })),
  endpoint("GET", "/openapi/start.js", "public", Type.String()),
  endpoint("GET", "/skill.md", "public", Type.String()),
  endpoint("GET", "/references/* cli.md", "public", Type.String()),
  endpoint("GET", "/llms.txt", "public", Type.String()),
  endpoint("GET", "/llms-full.txt", "public", Type.String()),
  endpoint("GET", "/metadata/* {{mint}}.json", "public", MetadataDocumentSchema),
  endpoint("GET", "/public/tokens/* {{mint}}", "public", PublicTokenSchema),
  endpoint("GET", "/public/tokens/*/market {{mint}}", "public", MarketHistorySchema),
  endpoint("GET", "/public/tokens/*/proof {{mint}}", "public", CheckedProofSchema),
  endpoint("GET", "/public/markets", "public", MarketListSchema),
  endpoint("POST", "/api/auth/challenge", "public", ChallengeSchema, { wallet: "{{wallet}}" }),
  endpoint("POST", "/api/auth/verify", "public", SessionSchema, {
    wallet: "{{wallet}}",
    nonce: "{{nonce}}",
    signature: "{{signature}}",
  }),
  endpoint("POST", "/api/v1/tokens/launch", "agent", LaunchAcceptedSchema, launch),
  endpoint("POST", "/api/v1/tokens/launch/check", "agent", LaunchCheckSchema, launch),
  endpoint("GET", "/api/v1/tokens/launch/status/* {{eventId}}", "agent", LaunchStatusSchema),
  endpoint(
    "POST",
    "/api/v1/tokens/launch/*/retry {{limitedEventId}}",
    "agent",
    LaunchAcceptedSchema,
  ),
  // No code is good: the service gives invites to its operator alone.
  endpoint("POST", "/api/v1/invites/redeem", "agent", Type.Never(), { code: "a code" }),
  endpoint(
    "POST",
    "/api/v1/tokens/launch/*/cancel {{cancelledEventId}}",
    "agent",
    LaunchStatusSchema,
  ),
  endpoint("GET", "/api/v1/tokens/launches", "agent", LaunchListSchema),
  endpoint("GET", "/api/v1/tokens", "agent", TokenListSchema),
  endpoint("GET", "/api/v1/tokens/waiting", "agent", TokenListSchema),
  endpoint("GET", "/api/v1/tokens/claims", "agent", ClaimListSchema),
  endpoint("GET", "/api/v1/tokens/claims/history", "agent", ClaimHistorySchema),
  endpoint("POST", "/api/v1/tokens/claims", "agent", Type.Never()),
  endpoint("POST", "/api/v1/tokens/claims/* {{mint}}", "agent", ClaimSchema),
  endpoint("POST", "/api/v1/tokens/claims/* {{mint}}", "agent", ClaimSchema, {
    signedTransaction: "{{signedTransaction}}",
  }),
  endpoint("GET", "/api/v1/tokens/* {{mint}}", "agent", TokenSchema),
  endpoint("GET", "/api/v1/events", "agent", AgentEventListSchema),
  endpoint("GET", "/api/v1/events/thresholds", "agent", FeeThresholdListSchema),
  endpoint("PUT", "/api/v1/events/thresholds", "agent", FeeThresholdListSchema, {
    claimableSOL: "0.5",
  }),
  endpoint("DELETE", "/api/v1/events/thresholds", "agent", FeeThresholdListSchema),
  endpoint("PUT", "/api/v1/events/thresholds/* {{mint}}", "agent", FeeThresholdListSchema, {
    claimableSOL: 0.5,
  }),
  endpoint("DELETE", "/api/v1/events/thresholds/* {{mint}}", "agent", FeeThresholdListSchema),
  endpoint("GET", "/api/v1/wallet", "agent", WalletBalanceSchema),
  endpoint("GET", "/api/v1/webhooks", "agent", WebhookListSchema),
  // Port 9 has no listener.
  endpoint("POST", "/api/v1/webhooks", "agent", WebhookWithSecretSchema, {
    url: "http://127.0.0.1:9/hook",
    after: 0,
  }),
  endpoint("DELETE", "/api/v1/webhooks/* {{spareWebhook}}", "agent", WebhookRemovedSchema),
  endpoint("GET", "/api/v1/webhooks/*/deliveries {{webhook}}", "agent", WebhookDeliveryListSchema),
  endpoint("POST", "/api/v1/webhooks/*/test {{webhook}}", "agent", WebhookDeliverySchema),
  endpoint("POST", "/api/v1/webhooks/*/replay {{webhook}}", "agent", ReplayAcceptedSchema, {
    event: 1,
  }),
  endpoint("POST", "/api/v1/webhooks/*/rotate {{webhook}}", "agent", WebhookWithSecretSchema),
  endpoint("POST", "/dev/airdrop", "agent", AirdropSchema, { wallet: "{{wallet}}", sol: 0.5 }),
  endpoint("POST", "/dev/trade", "agent", TradeSchema, {
    tokenMint: "{{mint}}",
    side: "buy",
    sol: "0.1",
  }),
  endpoint("POST", "/dev/graduate", "agent", GraduationSchema, { tokenMint: "{{mint}}" }),
  endpoint("POST", "/dev/rpc", "public", RpcSchema, null, true),
];

/** @returns the endpoint of a normalized path */
export function endpointOf(method: string, pathname: string): Endpoint | undefined {
  const asked = method === "HEAD" ? "GET" : method;
  const parts = pathname.replace(/\/$/, "").split("/");
  return ENDPOINTS.find((candidate) => candidate.method === asked && fits(candidate, parts));
}

function fits({ path }: Endpoint, parts: readonly string[]): boolean {
  const pattern = path.split("/");
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => (part === "*" ? parts[index] !== "" : part === parts[index]))
  );
}
