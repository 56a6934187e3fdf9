import { expect, test } from "bun:test";
import { type ClaimReceipt, HandOverUnsettledError } from "@tokenctl/sdk";
import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { toApiError } from "../../sdk/src/internal/api-error.ts";
import { explainError } from "./explain-error.ts";
import { refuse, runAgainst, serveApi } from "./testing/api.ts";
import { run, temporaryWallet } from "./testing/cli.ts";

const TOKENS = "GET /api/v1/tokens/";
/** The exit code of each status; any other status exits with 1. */
const EXIT_CODES: Readonly<Record<number, number>> = {
  401: 3,
  404: 4,
  409: 5,
  429: 6,
  502: 6,
  503: 6,
};

/** The fault is in what was typed: a field, or the file of `--image`. */
const USAGE: readonly string[] = ["validation_failed", "image_refused"];

/** Explains an answer of the server. */
function answered(status: number, code: string, more: object = {}, retryAfter = "3600") {
  const body = { error: "No", code, ...more };
  return explainError(toApiError({ status, body, requestId: "r-1", retryAfter }));
}

async function tokensAgainst(
  handler: () => unknown,
  route = TOKENS,
  args: readonly string[] = ["tokens"],
) {
  const { stdout, stderr, exitCode } = await runAgainst({ [route]: handler }, args);
  return { stdout, stderr, exitCode };
}

test.each(Object.keys(errorCodes).filter(isErrorCode))(
  "an error %s of the server is explained with its code and what to do",
  (code) => {
    const { status, text } = errorCodes[code];
    expect(answered(status, code, { error: text })).toMatchObject({
      code,
      error: text,
      hint: expect.stringMatching(/.{8}/),
      exitCode: USAGE.includes(code) ? 2 : (EXIT_CODES[status] ?? 1),
    });
  },
);

test.each([
  ["agent", "with --pay"],
  ["operator", "without --pay"],
])("a launch that only the %s can pay for is to be run %s", (payer, hint) => {
  const details = [{ field: "payer", message: `must be ${payer} at this service` }];
  expect(answered(400, "validation_failed", { details }).hint).toContain(hint);
});

test("advice to wait says how long, and names no header", () => {
  expect(answered(503, "starting", {}, "30").hint).toBe("Send it again (in 30 s)");
});

test("a hand-over whose outcome is not known says what was claimed before it", () => {
  const tried = {
    tokenMint: "mint",
    to: "newCreator",
    signedTransaction: "",
    transactionHash: "hash",
  };
  const claim = { success: true, transactionHash: "first", claimedSOL: 0.1 } as const;
  const explained = (claimed: readonly ClaimReceipt[]) =>
    explainError(
      new HandOverUnsettledError("not known", { ...tried, claimed, cause: new Error("lost") }),
    ).error;
  const why =
    "It is not known whether the token was handed over (hash): Something unexpected went wrong: lost";
  expect(explained([])).toBe(why);
  expect(explained([claim, { ...claim, claimedSOL: 0.2 }])).toBe(
    `${why}; 0.3 SOL of fees were claimed before`,
  );
});

test("a code that the CLI does not know has the exit code of its status and no hint", () => {
  for (const code of ["not_yet_thought_of", "constructor"]) {
    const told = { error: "No", code, hint: undefined, exitCode: 5, requestId: "r-1" };
    expect(answered(409, code)).toEqual(told as never);
  }
});

test("if no server listens, the error says at which address, why, and what to do", async () => {
  const closed = serveApi({});
  await closed[Symbol.asyncDispose]();
  const { url } = closed;
  const { stdout, stderr, exitCode } = await run(["health", "--api-url", url]);
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 6 });
  expect(stderr).toBe(
    `error: Cannot reach ${url}: ECONNREFUSED\n` +
      "hint: Start a server with `tokend`, or give a running one, with http or https as it answers, with --api-url or TOKENCTL_API_URL\n",
  );
});

test("a 500 of the server comes with its request id", async () => {
  const fault = () =>
    Response.json(
      { error: "Internal server error", code: "internal_error", message: "Request id r-1" },
      { status: 500, headers: { "x-request-id": "r-1" } },
    );
  const human = await tokensAgainst(fault, "POST /dev/airdrop", ["dev", "airdrop"]);
  expect(human.stderr).toBe(
    "error: Internal server error\n" +
      "hint: Try again; if the error persists, give the request id to the server's operator\n" +
      "request id: r-1\n",
  );
  const json = await tokensAgainst(fault, "POST /dev/airdrop", ["dev", "airdrop", "--json"]);
  expect(JSON.parse(json.stderr)).toMatchObject({ code: "internal_error", requestId: "r-1" });
});

test("the server's advice replaces the CLI's hint", async () => {
  const { stderr } = await tokensAgainst(() =>
    refuse(404, "Token not found", { message: "It was launched by another wallet." }),
  );
  expect(stderr).toBe("error: Token not found\nhint: It was launched by another wallet.\n");
});

test("an endpoint that the server lacks, such as /dev of a real cluster, is explained for a terminal", async () => {
  const message = "There is no such endpoint; /openapi/json lists all of them.";
  const missing = () => refuse(404, "Not found", { code: "not_found", message });
  const { stderr } = await tokensAgainst(missing, "POST /dev/airdrop", ["dev", "airdrop"]);
  expect(stderr).toContain("`tokenctl dev` needs a sandbox server");
  expect(stderr).not.toContain("/openapi/json");
});

test.each([
  ["no_fees_to_claim", "`tokenctl fees`"],
  ["idempotency_mismatch", "--idempotency-key"],
  ["webhook_not_found", "`tokenctl webhooks list`"],
] as const)("what to do after %s is a command or a flag", (code, hint) => {
  expect(answered(errorCodes[code].status, code).hint).toContain(hint);
});

const TOMORROW = "Nothing was stored. Try again at 2026-11-22 00:00 UTC.";

test.each([
  [429, "agent_launch_limit", `At most 20 launches. ${TOMORROW}`, 16_200, "in 5 h", 6],
  [429, "address_launch_limit", `At most 10 launches. ${TOMORROW}`, 86_399, "in 24 h", 6],
  [429, "share_used", "At most 100 may wait. Send it again later.", 600, "in 10 min", 6],
  [503, "daily_budget_spent", `The day's SOL is spent. ${TOMORROW}`, 5_000, "in 84 min", 6],
] as const)(
  "%d %s keeps the server's advice and says in words when to come back",
  (status, code, message, seconds, wait, exitCode) => {
    const hint = `${message.replace(/\.$/, "")} (${wait})`;
    const told = answered(status, code, { message }, String(seconds));
    expect(told).toMatchObject({ hint, exitCode });
    const bare = answered(status, code, {}, String(seconds)).hint;
    expect(bare).toMatch(/ again /);
    expect(bare).toEndWith(` (${wait})`);
  },
);

test.each([
  [200, "text/html", "<html>Welcome</html>"],
  [200, "application/json", '{"status":"ok"}'],
  [204, "text/plain", null],
  [404, "application/json", '{"error":"Not found"}'],
] as const)("a server of another kind is recognized by its answer %d of %s", async (...answer) => {
  const [status, type, body] = answer;
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(body, { status, headers: { "content-type": type } }),
  });
  using wallet = temporaryWallet();
  for (const command of status === 404 ? ["health", "tokens", "balance"] : ["tokens"]) {
    const flags = ["--api-url", server.url.origin, "-k", wallet.keypair];
    const { stderr, exitCode } = await run([command, ...flags]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/hint: Check (that )?--api-url/);
  }
});

test("an answer outside the contract gives exit code 1 and is not repeated", async () => {
  const { stderr, exitCode } = await tokensAgainst(() => new Response("<html>"));
  expect(exitCode).toBe(1);
  expect(stderr).toContain("does not follow the contract");
  expect(stderr).not.toContain("<html>");
});

test("a stack trace is printed only with TOKENCTL_DEBUG", async () => {
  const args = ["address", "-k", "/nonexistent/id.json"];
  expect((await run(args)).stderr).not.toContain("at ");
  expect((await run(args, { env: { TOKENCTL_DEBUG: "1" } })).stderr).toContain("    at ");
});
