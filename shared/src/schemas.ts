import { Kind, type Static, type TSchema, Type, TypeRegistry } from "@sinclair/typebox";
import { limits } from "./limits.ts";
import { isOnChainName, isTokenName, NAME_BYTES } from "./token-name.ts";
import type { LaunchRequest, NewWebhookRequest, ReplayRequest } from "./types.ts";

/**
 * TypeBox schemas of request bodies. JSON Schema counts a string's length in characters (code
 * points), which TypeBox's own strings do not, so texts have a kind of their own. `x-rule` says
 * what a field must be, and becomes the message in an answer's `details`.
 */
interface TextOptions {
  readonly minLength?: number;
  readonly maxLength: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly "x-rule": string;
}

/** An https URL of one of `x-hosts`; without them, a URL of any host by http or https. */
interface LinkOptions extends TextOptions {
  readonly "x-hosts"?: readonly string[];
}

const TEXT = "Text";
const TOKEN_NAME = "TokenName";
const ON_CHAIN_NAME = "OnChainName";
const IMAGE_URL = "ImageUrl";
const LINK = "Link";

function isText(options: TextOptions, value: unknown): value is string {
  // n characters take n to 2n UTF-16 units: a longer text needs no counting.
  if (typeof value !== "string" || value.length > 2 * options.maxLength) return false;
  // A lone surrogate is not a character, and UTF-8 cannot encode it.
  if (!value.isWellFormed()) return false;
  const length = [...value].length;
  if (length < (options.minLength ?? 0) || length > options.maxLength) return false;
  return options.pattern === undefined || new RegExp(options.pattern).test(value);
}

/**
 * The URL parser drops spaces and line breaks and adds missing slashes. The text itself goes on
 * chain, so it has to be a URL without such repairs.
 */
function isImageUrl(value: string): boolean {
  if (!/^[a-z]+:\/\/[^\s\p{Cc}]+$/iu.test(value) || !URL.canParse(value)) return false;
  const schemes: readonly string[] = limits.imageUrl.schemes;
  return schemes.includes(new URL(value).protocol);
}

/** The characters of a URL (RFC 3986): none of them ends an attribute or a tag of HTML. */
const URL_CHARACTERS = /^https?:\/\/[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/i;

/**
 * People open links, and wallets show them: a link has no user name, which could pass for a host, and
 * a page of a known host has a path.
 */
function isLink(value: string, hosts?: readonly string[]): boolean {
  if (!URL_CHARACTERS.test(value) || !URL.canParse(value)) return false;
  const { protocol, hostname, port, pathname, username, password } = new URL(value);
  if (username !== "" || password !== "") return false;
  if (hosts === undefined) return true;
  const host = hostname.replace(/^www\./, "");
  return protocol === "https:" && port === "" && pathname !== "/" && hosts.includes(host);
}

TypeRegistry.Set<TextOptions>(TEXT, isText);
TypeRegistry.Set<TextOptions>(
  TOKEN_NAME,
  (options, value) => isText(options, value) && isTokenName(value),
);
TypeRegistry.Set<TextOptions>(
  ON_CHAIN_NAME,
  (options, value) => isText(options, value) && isOnChainName(value),
);
TypeRegistry.Set<TextOptions>(
  IMAGE_URL,
  (options, value) => isText(options, value) && isImageUrl(value),
);

TypeRegistry.Set<LinkOptions>(
  LINK,
  (options, value) => isText(options, value) && isLink(value, options["x-hosts"]),
);

function text(options: TextOptions, kind = TEXT) {
  return Type.Unsafe<string>({ [Kind]: kind, type: "string", ...options });
}

function link(options: Omit<LinkOptions, "maxLength" | "format">) {
  return Type.Optional(
    Type.Unsafe<string>({
      [Kind]: LINK,
      type: "string",
      maxLength: limits.link.max,
      format: "uri",
      ...options,
    }),
  );
}

const inviteCode = text({
  minLength: limits.inviteCode.min,
  maxLength: limits.inviteCode.max,
  description: "The code of an invite to this service",
  examples: ["K7QF-2MNP-9XTA-44HW-ZZ23"],
  "x-rule": "must be a text of 1 to 64 characters",
});

export const RedeemRequestSchema = Type.Object(
  { code: inviteCode },
  { additionalProperties: false },
);

export const LaunchRequestSchema = Type.Object(
  {
    name: text(
      {
        minLength: limits.name.min,
        maxLength: limits.name.max,
        description:
          "Human-readable token name. Its first 32 bytes of UTF-8 go on chain and are not blank, unless `onChainName` replaces them. It has no control characters, no line separators and no marks that change the direction of writing",
        examples: ["An agent's token"],
        "x-rule":
          "must be a text of 1 to 255 characters, without control or bidirectional characters, and not blank in its first 32 bytes, which go on chain",
      },
      TOKEN_NAME,
    ),
    ticker: text({
      minLength: limits.ticker.min,
      maxLength: limits.ticker.max,
      pattern: limits.ticker.pattern,
      description: "Unique across all launches",
      examples: ["AGENT"],
      "x-rule": "must be 2 to 10 characters of A-Z and 0-9",
    }),
    description: Type.Optional(
      text({
        maxLength: limits.description.max,
        description: "What the token is about",
        examples: ["Launched by an agent, for agents"],
        "x-rule": "must be a text of at most 1000 characters",
      }),
    ),
    imageUrl: Type.Optional(
      text(
        {
          maxLength: limits.imageUrl.max,
          format: "uri",
          description: "The token's image; the service never fetches it",
          examples: ["https://example.com/token.png"],
          "x-rule": "must be an http, https, ipfs or ar URL of at most 255 characters",
        },
        IMAGE_URL,
      ),
    ),
    website: link({
      description: "The token's website",
      examples: ["https://example.com"],
      "x-rule": "must be an http or https URL of at most 255 characters, without a user name",
    }),
    twitter: link({
      "x-hosts": limits.link.twitterHosts,
      description: "The token's page on X",
      examples: ["https://x.com/example"],
      "x-rule":
        "must be an https URL of x.com or twitter.com with a path, of at most 255 characters",
    }),
    telegram: link({
      "x-hosts": limits.link.telegramHosts,
      description: "The token's Telegram chat",
      examples: ["https://t.me/example"],
      "x-rule":
        "must be an https URL of t.me or telegram.me with a path, of at most 255 characters",
    }),
    onChainName: Type.Optional(
      text(
        {
          minLength: 1,
          maxLength: NAME_BYTES,
          description:
            "The name that goes on chain instead of the beginning of `name`: at most 32 bytes of UTF-8",
          examples: ["An agent's token"],
          "x-rule":
            "must be a text of 1 to 32 bytes of UTF-8, not blank, without control or bidirectional characters",
        },
        ON_CHAIN_NAME,
      ),
    ),
    inviteCode: Type.Optional(inviteCode),
  },
  { additionalProperties: false },
);

const wallet = text({
  minLength: 32,
  maxLength: limits.wallet.max,
  description: "Wallet address, base58",
  examples: ["9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
  "x-rule": "must be a base58 wallet address",
});

export const ChallengeRequestSchema = Type.Object({ wallet });

export const VerifyRequestSchema = Type.Object({
  wallet,
  nonce: text({
    minLength: 1,
    maxLength: limits.nonce.max,
    description: "The nonce of the challenge",
    examples: ["127.0.0.1:8787/3q2-7wAAAAAAAAAAAAAAAA"],
    "x-rule": "must be the nonce of a challenge",
  }),
  signature: text({
    minLength: 1,
    maxLength: limits.signature.max,
    description: "Ed25519 signature of the sign-in message, base58",
    examples: [
      "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW",
    ],
    "x-rule": "must be a base58 Ed25519 signature",
  }),
});

const signedTransaction = text({
  minLength: 1,
  maxLength: limits.transaction.base64,
  description: "The transaction of step 1, signed by the agent, base64",
  examples: ["Ac0sWAj0nTnXqgEAAQMEBQYHCAkKCw=="],
  "x-rule": "must be a base64 transaction of at most 1232 bytes",
});

export const ClaimRequestSchema = Type.Object(
  { signedTransaction: Type.Optional(signedTransaction) },
  { additionalProperties: false },
);

const mints = {
  minItems: 1,
  maxItems: limits.claimedTokens.max,
  uniqueItems: true,
  description:
    "The tokens to claim, by their mints, in both steps. As many as fit into one transaction are claimed; without any the answer is 400 `mint_required`",
  "x-rule": `must be 1 to ${limits.claimedTokens.max} different mint addresses`,
};

export const ClaimsRequestSchema = Type.Object(
  {
    tokenMints: Type.Optional(
      Type.Array(
        text({
          minLength: 1,
          maxLength: limits.wallet.max,
          description: "Mint address, base58",
          examples: ["9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"],
          "x-rule": "must be a mint address",
        }),
        mints,
      ),
    ),
    signedTransaction: Type.Optional(signedTransaction),
  },
  { additionalProperties: false },
);

export const FeeThresholdRequestSchema = Type.Object(
  {
    claimableSOL: Type.Union(
      [
        Type.Number({ exclusiveMinimum: 0, maximum: limits.feeThresholdSOL.max }),
        Type.String({ maxLength: 24 }),
      ],
      {
        description: `Claimable SOL from which on to tell: more than 0 and at most ${limits.feeThresholdSOL.max}, with at most nine decimals. A decimal string is exact`,
        examples: [0.5, "0.000000001"],
        "x-rule": `must be more than 0 and at most ${limits.feeThresholdSOL.max}, with at most 9 decimals`,
      },
    ),
  },
  { additionalProperties: false },
);

const eventId = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description,
      "x-rule": "must be the id of an event",
    }),
  );

export const NewWebhookRequestSchema = Type.Object(
  {
    url: text({
      minLength: 1,
      maxLength: limits.webhook.url,
      format: "uri",
      description:
        "The receiver: an https URL of a public host, with port 443 or one from 1024 on. On a sandbox also an http or https URL of the server's own machine",
      examples: ["https://agent.example/events"],
      "x-rule": `must be a URL of at most ${limits.webhook.url} characters`,
    }),
    after: eventId("Sends the events after this one; without it, those to come"),
  },
  { additionalProperties: false },
);

export const ReplayRequestSchema = Type.Object(
  {
    event: eventId("Sends this event once more"),
    after: eventId("Sends all events after this one, in order, also those that were sent before"),
  },
  { additionalProperties: false, description: "Either `event` or `after`" },
);

/** Does not compile if the schema and the type that clients see differ. */
type Same<A, B> = [A, B] extends [B, A] ? true : never;
const _launchRequest: Same<
  Required<Static<typeof LaunchRequestSchema>>,
  Required<LaunchRequest>
> = true;
void _launchRequest;
const _newWebhook: Same<
  Required<Static<typeof NewWebhookRequestSchema>>,
  Required<NewWebhookRequest>
> = true;
void _newWebhook;
const _replay: Same<Required<Static<typeof ReplayRequestSchema>>, Required<ReplayRequest>> = true;
void _replay;

export type { Static, TSchema };
