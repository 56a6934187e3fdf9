import { AgentEventSchema } from "@tokenctl/shared/contract/event";
import { TestMessageSchema } from "@tokenctl/shared/contract/webhook";
import { limits, NONCE_LIFETIME_MS, TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";
import { signInMessage } from "@tokenctl/shared/sign-in";
import { Elysia } from "elysia";
import { publishedMessage, type RouteDetail, referredSchemas, TAGS } from "./openapi.ts";
import { ServedFile } from "./served-file.ts";

export interface ListedRoute {
  readonly method: string;
  readonly path: string;
  readonly hooks: { readonly detail?: object };
}

/** The only path that the contract writes with a trailing slash. */
const WITH_SLASH = "/api/v1/tokens/";

function openapiDocument(routes: readonly ListedRoute[], publicUrl: string, version: string) {
  const paths: Record<string, Record<string, Published>> = {};
  const described = routes.flatMap(({ method, path, hooks: { detail } }) =>
    detail !== undefined && "publish" in detail
      ? [{ method, path: publishedPath(path), ...(detail as RouteDetail) }]
      : [],
  );
  const used = new Set(Object.values(MESSAGES).flatMap(({ post }) => post.tags));
  for (const { method, path, operationId, publish } of described) {
    const operation = publish(path, linksOf(operationId, described));
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    for (const tag of operation.tags) used.add(tag);
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Token launch service",
      version,
      description: PROSE,
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: "The operator of this server", url: publicUrl },
    },
    servers: [{ url: publicUrl, description: "This server" }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name as keyof typeof TAGS))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks: MESSAGES,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "The `token` of `signIn`, valid for 15 minutes",
        },
      },
      headers: {
        RequestId: header("Identifies the request in the server's log", { format: "uuid" }),
        ETag: header("Names this version of the answer"),
        RetryAfter: {
          description: "Seconds after which the request may be sent again, if that is known",
          schema: { type: "integer", minimum: 0 },
        },
      },
      schemas: referredSchemas([paths, MESSAGES]),
    },
  };
}

const SIGNED =
  "Signed as Standard Webhooks specifies, with the webhook's secret (`v1`). A receiver answers within 15 seconds";
const MESSAGES = {
  agentEvent: publishedMessage(
    {
      id: "agentEvent",
      summary: "An event of the agent",
      description: `${SIGNED}. It comes at least once, in order.`,
    },
    AgentEventSchema,
  ),
  testMessage: publishedMessage(
    {
      id: "testMessage",
      summary: "A test that the agent asked for",
      description: `${SIGNED}. It comes once.`,
    },
    // Not by its name: oapi-codegen leaves out a schema to which no path refers.
    { ...TestMessageSchema },
  ),
};

/** JSON pointers to where answers have a path's parameter, by parameter and operation. */
const SOURCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  eventId: { launchToken: "/eventId" },
  id: { addWebhook: "/id" },
  mintAddress: { listTokens: "/tokens/0/tokenMint", getLaunchStatus: "/tokenMint" },
};

function linksOf(source: string, operations: readonly { operationId: string; path: string }[]) {
  const links = operations.flatMap(({ operationId, path }) => {
    const name = /\{(\w+)\}/.exec(path)?.[1] ?? "";
    const pointer = operationId === source ? undefined : SOURCES[name]?.[source];
    const parameters = { [name]: `$response.body#${pointer}` };
    return pointer === undefined ? [] : [[operationId, { operationId, parameters }]];
  });
  return links.length > 0 && { links: Object.fromEntries(links) };
}

type Published = ReturnType<RouteDetail["publish"]>;

function header(description: string, rules: object = {}) {
  return { description, schema: { type: "string", ...rules } };
}

function publishedPath(path: string): string {
  const published = path.replaceAll(/:(\w+)/g, "{$1}");
  return published === WITH_SLASH ? published : published.replace(/(?<=.)\/$/, "");
}

/** What a client must know besides the operations, so that the document suffices to write one. */
const PROSE = `Launches tokens on Solana for autonomous agents, and lets each agent claim the fees that its
tokens earn. Requests and answers are JSON. An agent is its wallet: an Ed25519 key pair whose public key,
in base58, is its address.

## Sign in

1. \`getChallenge\` with the wallet's address returns a \`nonce\`. It is valid for ${NONCE_LIFETIME_MS / 60_000} minutes, once.
2. The message is the text \`${signInMessage("")}\` (with the space at its end) and the nonce directly behind
   it, in UTF-8. Sign it with the wallet's Ed25519 key, and write the 64 bytes of the signature in base58.
   The nonce begins with the host of the server that issued it and a \`/\`: a careful client signs only if
   that is the host it called.
3. \`signIn\` with \`wallet\`, \`nonce\` and \`signature\` returns a \`token\`, valid for ${TOKEN_LIFETIME_SECONDS / 60} minutes.
4. Send \`Authorization: Bearer <token>\` with every request of an operation that needs it. After 401
   \`invalid_token\`, sign in again.

## Launch

\`launchToken\` answers with an \`eventId\` once the launch is stored. Poll \`getLaunchStatus\` every 5 to 10
seconds while the status is \`pending\`, or with \`wait=${limits.eventWait.max}\`, which answers as soon as it is not: \`success\`, \`failed\`
and \`rate_limited\` are ends, and only \`retryLaunch\` continues from the latter two. Send an \`Idempotency-Key\`: if no answer arrives, the same
request under the same key never launches twice.

## Claim

1. \`claimToken\` without a body returns \`transaction\`: an unsigned legacy transaction of Solana, in base64.
   Send it back signed within \`expiresInSeconds\`; after that, ask for a new one.
2. Decode it. Its first byte is the number of signatures, which follow with 64 bytes each; all bytes behind
   them are the message. Check the message before you sign: the fee payer, its first account, is the
   wallet. Sign exactly these bytes with the wallet's Ed25519 key, and write the 64 bytes of the signature
   into the first place. With \`sponsored\` there are two places: the wallet signs in the second, the service
   pays and signs in the first once it has the wallet's signature, and \`repaymentSOL\` goes back to the
   service. None of this shows what else the message does: a client that does not trust the server reads its
   instructions too, as the TypeScript SDK does.
3. \`claimToken\` with the whole in base64 as \`signedTransaction\` answers when the chain has confirmed it, which
   may take as long as a transaction can land, a minute at slots of 400 ms. Without an answer send the same
   again: fees are paid once.

The service takes only the transaction that it returned, byte for byte, with the wallet's signature.

## Rules

- Amounts are SOL, as numbers: lamports ÷ 10⁹; those in fields named \`…Lamports\` are texts. Times are ISO-8601 in UTC.
- Every error has an \`error\` for people and a \`code\` for programs; codes never change. \`details\` names the fields
  of a request that break the contract. After \`Retry-After\` seconds, a request with 429 or 503 may be sent again.
- Every answer has an \`X-Request-Id\`, by which the operator finds it.
- Null for an optional field of a request is the same as no field.
- Lists with a \`cursor\` are newest first. They are whole without \`limit\`; with it they come in pages of at
  most ${limits.page.max}. Events are oldest first, at most ${limits.events.byDefault} in an answer without \`limit\`.
- What belongs to another agent is answered as if it did not exist: 404.
- A path that does not exist is answered with 404 \`not_found\`; if it does not have the method, with 405
  \`method_not_allowed\`, and \`Allow\` lists its methods.
- A request whose address and headers have more than 16 KiB is answered with 431, without a body.
- Answers may get new fields, and lists of codes, events and reasons new entries: ignore those that you do
  not know.`;

export function openapiPlugin(
  routes: () => readonly ListedRoute[],
  publicUrl: () => string,
  version: string,
) {
  let document: ServedFile | undefined;
  return new Elysia().get("/openapi/json", ({ request, set }) => {
    document ??= new ServedFile(
      JSON.stringify(openapiDocument(routes(), publicUrl(), version)),
      "application/json",
    );
    return document.answer(request, set.headers);
  });
}
