import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { contract } from "@tokenctl/shared/contract/contract";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { signInMessage } from "@tokenctl/shared/sign-in";
import type { ErrorBody } from "@tokenctl/shared/types";
import fc from "fast-check";
import { Agent, differsFromTable } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { Counter } from "./counter.ts";
import { anyRequest, CANARY, type FuzzRequest, type Target } from "./fuzz/requests.ts";
import { latencyOf } from "./latency.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(scale(600_000, 3_600_000));

/**
 * `bun run check` sends the same requests each time, `bun run chaos` others. To repeat a failure,
 * set these to the seed and the path that fast-check prints.
 */
const seed = Number(process.env.FUZZ_SEED ?? (isLong ? randomInt(2 ** 31) : 1));
const { FUZZ_PATH: path } = process.env;

interface Operation extends Target {
  readonly id: string;
  readonly isPublic: boolean;
  /** What it may answer. */
  readonly statuses: ReadonlySet<string>;
  /** Checks a good answer in JSON; null if it is another text. */
  readonly answer: TypeCheck<TSchema> | null;
}

const launch = {
  name: "A token",
  ticker: "*",
  description: "What it is about",
  imageUrl: "https://example.com/a.png",
  website: "https://example.com",
};
const signedTransaction = "{{signedTransaction}}";

const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  getChallenge: { wallet: "{{wallet}}" },
  signIn: { wallet: "{{wallet}}", nonce: "{{nonce}}", signature: "{{signature}}" },
  launchToken: launch,
  checkLaunch: launch,
  signLaunch: {},
  // No code is good: the service gives invites to its operator alone.
  redeemInvite: { code: "a code" },
  claimTokens: { tokenMints: ["{{mint}}"] },
  claimToken: { signedTransaction },
  handOverToken: { to: "{{otherWallet}}" },
  setFeeThreshold: { claimableSOL: 0.5 },
  // Port 9 has no listener.
  addWebhook: { url: "http://127.0.0.1:9/hook", after: 0 },
  airdrop: { wallet: "{{wallet}}", sol: 0.5 },
  trade: { tokenMint: "{{mint}}", side: "buy", sol: 0.1 },
  graduate: { tokenMint: "{{mint}}" },
  callRpc: { jsonrpc: "2.0", id: 1, method: "getAccountInfo", params: ["{{mint}}"] },
  uploadImage: {},
};

const PARAMETERS: Readonly<Record<string, string>> = {
  mintAddress: "{{mint}}",
  eventId: "{{eventId}}",
  id: "{{webhook}}",
  file: "{{mint}}.json",
  getReference: "cli.md",
  getImage: "{{image}}",
  retryLaunch: "{{limitedEventId}}",
  cancelLaunch: "{{cancelledEventId}}",
  signLaunch: "{{paidEventId}}",
  deleteWebhook: "{{spareWebhook}}",
};

/** Operations that give this service's agents no 200, or hardly ever. */
const NEVER_GOOD = [
  // A sandbox has no proofs, and this agent no invite, and a launch of the day already.
  ...["getTokenProof", "redeemInvite", "signLaunch"],
  // Its body is no JSON.
  "uploadImage",
];

let server: TestServer;
let agent: Agent;
let operations: readonly Operation[];
let values: Record<string, string>;
/** Texts that no answer may contain. */
let secrets: readonly string[];
beforeAll(async () => {
  // The first launch is cancelled before the worker signs anything for it.
  const cancelled = Promise.withResolvers<void>();
  const crashPoint = (name: string) => (name === "launch.leased" ? cancelled.promise : undefined);
  const env = {
    TRUST_PROXY: "true",
    LAUNCH_PAYER: "either",
    MAX_LAUNCHES_PER_AGENT: "0",
    CONTACT_URL: "mailto:abuse@tokens.example",
  };
  server = await startTestServer(env, { crashPoint });
  const late = await Agent.signedIn(server);
  server.clock.advance(20 * 60_000);
  agent = await Agent.signedIn(server);
  const other = await Agent.signedIn(server);
  const cancelledEventId = await agent.accepted("GONE");
  await agent.post(`/api/v1/tokens/launch/${cancelledEventId}/cancel`);
  cancelled.resolve();
  const [mine, limited] = [await agent.launched("MINE"), await agent.launched("LIMITED")];
  const foreign = await other.launched("OTHER");
  // A wallet that cannot pay for its claim is answered 409.
  for (const each of [agent, other]) await each.post("/dev/airdrop", { sol: 1 });
  const webhookOf = async (by: Agent, name = "") => {
    const { body } = await by.post("/api/v1/webhooks", { url: `http://127.0.0.1:9/known${name}` });
    return (body as { id: string }).id;
  };
  values = {
    token: agent.token,
    otherToken: other.token,
    expiredToken: late.token,
    wallet: agent.wallet,
    otherWallet: other.wallet,
    eventId: mine.eventId,
    mint: mine.tokenMint ?? "",
    pool: mine.poolAddress ?? "",
    limitedEventId: limited.eventId,
    cancelledEventId,
    paidEventId: await agent.accepted("PAID", { payer: "agent" }),
    otherEventId: foreign.eventId,
    otherMint: foreign.tokenMint ?? "",
    webhook: await webhookOf(agent),
    spareWebhook: await webhookOf(agent, "spare"),
    image: await uploaded(),
  };
  await renewNonce();
  await renewClaim();
  operations = await publishedOperations();
  secrets = readSecrets();
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** Returns the name of an image's file. */
async function uploaded(): Promise<string> {
  const answer = await agent.upload(pngImage(2, 2));
  return basename(((await answer.json()) as { url: string }).url);
}

async function renewNonce(): Promise<void> {
  const nonce = await agent.nonce();
  values = { ...values, nonce, signature: agent.sign(signInMessage(nonce)) };
}

async function renewClaim(): Promise<void> {
  await agent.post("/dev/trade", { tokenMint: values.mint, side: "buy", sol: 0.01 });
  const { status, body } = await agent.post(`/api/v1/tokens/claims/${values.mint}`);
  // The pool may have been bought out in between.
  if (status !== 200) return;
  const { transaction } = body as { transaction: string };
  values = { ...values, signedTransaction: agent.signClaim(transaction) };
}

interface Schema {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
}

interface Published {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly responses: Readonly<
    Record<string, { content?: Record<string, { readonly schema: Schema }> }>
  >;
}

/** The operations of the document, but for the stream, whose answer has no end. */
async function publishedOperations(): Promise<Operation[]> {
  const answer = await fetch(`${server.url}/openapi/json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Published>> };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId: id, security, responses }]) => {
      const good = responses[200]?.content?.["application/json"]?.schema;
      const name = /\{(\w+)\}/.exec(path)?.[1] ?? "";
      return {
        id,
        method: method.toUpperCase(),
        path,
        parameter: PARAMETERS[id] ?? PARAMETERS[name] ?? "",
        body: BODIES[id] ?? null,
        isPublic: security.length === 0,
        statuses: new Set(Object.keys(responses)),
        answer: good ? TypeCompiler.Compile(schemaOf(good)) : null,
      };
    }),
  );
  // An operation without a parameter answers before one whose parameter fits.
  const parameters = ({ path }: Operation) => path.split("{").length;
  return all
    .filter(({ id }) => id !== "streamEvents")
    .sort((a, b) => parameters(a) - parameters(b));
}

function schemaOf({ $ref, oneOf }: Schema): TSchema {
  if (oneOf) return Type.Union(oneOf.map(schemaOf));
  const schema = contract.get($ref?.split("/").at(-1) ?? "");
  if (!schema) throw new Error(`${$ref} is no schema of the contract`);
  return schema;
}

const fill = (text: string) =>
  text.replace(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] ?? all);

function readSecrets(): readonly string[] {
  const { dataDir } = server.config;
  const files = ["jwt.secret", "mint.secret"].map((file) =>
    readFileSync(join(dataDir, file), "utf8").trim(),
  );
  const encodings = ["base64", "base64url"] as const;
  const raw = files.flatMap((text) =>
    encodings.map((encoding) => Buffer.from(text, "hex").toString(encoding)),
  );
  return [dataDir, ...files, ...raw];
}

/** Paths, stacks, SQL and error texts of libraries, which no error may contain. */
const INSIDE: readonly RegExp[] = [
  /\/(?:work|tmp|home|root|usr|var|proc)\//,
  /node_modules|\$bunfs|file:\/\//,
  /\.[cm]?[jt]s:\d+/,
  /\bat (?:async )?[\w.<>#$]+ \(/,
  /\b(?:Type|Range|Reference|Syntax|SQLite|Drizzle\w*|Struct)Error\b/,
  /SQLITE_|\bconstraint failed\b|\bno such (?:table|column)\b|Failed query/i,
  /\b(?:select|delete)\b.+\bfrom\b|\binsert into\b|\bpragma \w+/i,
  /undefined is not|is not a function|is not an object|null is not|JSON Parse error/i,
];

const errorBody = TypeCompiler.Compile(ErrorBodySchema);

/** The operation that a request reaches, if any. */
function operationOf({ method }: FuzzRequest, pathname: string): Operation | undefined {
  const asked = method === "HEAD" ? "GET" : method;
  const parts = pathname.replace(/\/$/, "").split("/");
  const matching = operations.filter(({ path }) => {
    const pattern = path.replace(/\/$/, "").split("/");
    const fits = (part: string, at: number) =>
      part.startsWith("{") ? parts[at] !== "" : part === parts[at];
    return pattern.length === parts.length && pattern.every(fits);
  });
  // `/launch` is not a token's address, also where only POST is offered.
  const exact = matching.filter(({ path }) => path.replace(/\/$/, "") === parts.join("/"));
  return (exact.length > 0 ? exact : matching).find((each) => each.method === asked);
}

/**
 * Checks an answer against what the service promises of all its answers.
 * @returns what it breaks; null for nothing
 */
async function broken(
  request: FuzzRequest,
  answer: Response,
  operation: Operation | undefined,
): Promise<string | null> {
  const { status, headers } = answer;
  const body = await answer.text();
  // Bun itself refuses a head that is too long.
  if (status === 431) return body === "" ? null : "it is not Bun's refusal";
  if (status < 200 || status >= 500) return "it is neither a success nor a refusal";
  if (operation && !operation.statuses.has(String(status))) return "the document does not list it";
  if (!/^[0-9a-f-]{36}$/.test(headers.get("x-request-id") ?? "")) return "it has no request id";
  if (headers.get("x-content-type-options") !== "nosniff") return "its type may be guessed";
  const all = `${[...headers.values()].join("\n")}\n${body}`;
  if (secrets.some((text) => all.includes(text))) return "it contains a secret";
  if (request.method === "HEAD") return body === "" ? null : "an answer to HEAD has a body";
  if (operation?.id === "callRpc" && status < 300) return brokenReply(body);
  if (status >= 300) return status === 304 ? null : brokenError(status, body);
  // The pages for people are not in the document.
  const isPage = headers.get("content-type")?.startsWith("text/html");
  if (!operation) return isPage ? null : "an unknown path succeeded";
  if (operation.answer && !operation.answer.Check(JSON.parse(body))) {
    return "a success does not have its published shape";
  }
  if (operation.isPublic) return null;
  const bearer = request.headers.authorization ?? "";
  if (!/^Bearer \{\{(?:token|otherToken)\}\}$/.test(bearer)) return "it needs no good token";
  if (!bearer.includes("other") || operation.path.startsWith("/dev/")) return null;
  const own = ["cancelledEventId", "mint", "pool", "eventId", "limitedEventId"];
  const isShown = own.some((name) => body.includes(values[name] ?? "none"));
  return isShown ? "it shows another agent's things" : null;
}

/** JSON-RPC answers errors with 200, and a notification with nothing. */
function brokenReply(body: string): string | null {
  const replies = [body === "" ? [] : JSON.parse(body)].flat() as { error?: { code: number } }[];
  const errors = replies.flatMap(({ error }) => error ?? []);
  if (errors.some(({ code }) => code === -32603)) return "JSON-RPC failed inside";
  const text = JSON.stringify(errors);
  return INSIDE.some((pattern) => pattern.test(text)) ? "JSON-RPC shows the inside" : null;
}

function brokenError(status: number, body: string): string | null {
  const error: unknown = JSON.parse(body);
  if (!errorBody.Check(error)) return "an error does not have the contract's body";
  const { details, ...rest } = error as ErrorBody;
  const inside = INSIDE.find((pattern) => pattern.test(body));
  if (inside) return `an error shows the inside (${inside})`;
  // A detail may name its field.
  const texts = JSON.stringify([rest, details?.map(({ message }) => message)]);
  return texts.includes(CANARY)
    ? "an error repeats what was sent"
    : differsFromTable(status, error as ErrorBody);
}

test("every operation answers any request as its document says, and shows nothing of the inside", async () => {
  const [statuses, successes] = [new Counter(), new Counter()];
  const milliseconds: number[] = [];
  const property = fc.asyncProperty(anyRequest(operations), async (request) => {
    // Once it is tried again, the cancelled launch can be cancelled no more.
    fc.pre(!request.target.includes("{{cancelledEventId}}/retry"));
    // The others need the webhook that is not spare.
    fc.pre(!(request.method === "DELETE" && request.target.includes("{{webhook}}")));
    const { method, target, headers, body } = request;
    const url = new URL(server.url + fill(target));
    const filled = Object.entries(headers).map(([name, value]) => [name, fill(value)] as const);
    const started = performance.now();
    const answer = await fetch(url, {
      method,
      headers: Object.fromEntries(filled),
      body: typeof body === "string" ? fill(body) : body,
      redirect: "manual",
    });
    milliseconds.push(performance.now() - started);
    const operation = operationOf(request, url.pathname);
    const problem = await broken(request, answer, operation);
    expect([operation?.id, answer.status, problem]).toEqual([operation?.id, answer.status, null]);
    statuses.add(String(answer.status));
    if (operation && answer.status === 200) successes.add(operation.id);
    if (operation?.id === "signIn") await renewNonce();
    if (operation?.id === "claimToken") await renewClaim();
  });
  const numRuns = operations.length * scale(60, 2_000);
  const repeatable = { seed, ...(path !== undefined && { path }) };
  await fc.assert(property, { ...repeatable, numRuns });
  figures("fuzzed requests", {
    seed,
    requests: milliseconds.length,
    statuses,
    ...latencyOf(milliseconds),
  });
  if (path !== undefined) return;
  // An operation that never answers 200 is not tried at all.
  const untried = operations.filter(({ id }) => successes.of(id) === 0).map(({ id }) => id);
  expect(untried.filter((id) => !NEVER_GOOD.includes(id))).toEqual([]);
});
