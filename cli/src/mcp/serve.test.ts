import { afterAll, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ElicitResult } from "@modelcontextprotocol/client";
import { keypairSigner, type LaunchCheck, TokenctlClient, type TokenList } from "@tokenctl/sdk";
import { agent as claimant, meteoraClaims, mint } from "../../../sdk/test/claim-transactions.ts";
import { installBinaries } from "../../../test/support/binaries.ts";
import { pngImage } from "../../../test/support/images.ts";
import { startTestServer } from "../../../test/support/test-server.ts";
import { writeConfigFile } from "../own-files.ts";
import { refuse, serveApi } from "../testing/api.ts";
import { run, tempDir, temporaryWallet } from "../testing/cli.ts";
import { claimRecord } from "../testing/records.ts";
import { openMcp, PROTOCOLS } from "./testing/mcp-client.ts";

const WRITES = [
  ...["launch_token", "cancel_launch", "retry_launch", "claim_fees", "claim_all_fees"],
  ...["upload_image", "accept_token"],
];
const DESTROYS = ["launch_token", "cancel_launch", "retry_launch", "claim_fees", "claim_all_fees"];
const DAY_MS = 86_400_000;

const programs = tempDir();
/** The newest protocol, and one for all before it, which ask the user in the same way. */
const WAYS_TO_ASK = PROTOCOLS.slice(0, 2);

let tickers = 0;

// The binary starts in less than half the time of the sources.
const command = [(await installBinaries(programs.path)).tokenctl];
// The long interval keeps a slow run from also seeing the event of the graduated token.
const server = await startTestServer({ POOL_WATCH_SECONDS: "3600" });
afterAll(async () => {
  programs[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

const request = () => ({ name: "A token", ticker: `MCP${++tickers}` });

/** Records what a user is asked. A test may change `answer`. */
function user(answer: ElicitResult = { action: "accept", content: { agree: true } }) {
  const questions: string[] = [];
  const asked = {
    questions,
    answer,
    onQuestion(question: string): ElicitResult {
      questions.push(question);
      return asked.answer;
    },
  };
  return asked;
}

function agent(secretKey?: Uint8Array) {
  const wallet = temporaryWallet(secretKey);
  const signer = keypairSigner(wallet.secretKey);
  const client = new TokenctlClient({ apiUrl: server.url, signer });
  return {
    ...wallet,
    client,
    /** Starts a client that cannot ask its user, unless it has `onQuestion`. */
    mcp: (args: readonly string[] = ["--no-confirm"], options: object = {}) =>
      openMcp(args, { apiUrl: server.url, folder: wallet.path, command, ...options }),
    /** Launches a token with 0.01 SOL of fees, through a client other than the model's. */
    async earning() {
      const { eventId } = await client.launch(request());
      const tokenMint = (await client.waitForLaunch(eventId)).tokenMint ?? "";
      await client.dev.airdrop({ sol: 0.1 });
      await client.dev.trade({ tokenMint, side: "buy", sol: 1 });
      return tokenMint;
    },
  };
}

// All tests below use the protocol between them.
test.each([PROTOCOLS[0], PROTOCOLS[2]])(
  "a client of protocol %s launches a token and claims its fees, and no repeat does anything twice",
  async (protocol) => {
    using wallet = agent();
    using other = agent();
    await other.client.launch(request());
    await using mcp = await wallet.mcp(["--no-confirm"], { protocol });
    const wanted = request();
    const [launched, repeated] = await Promise.all([
      mcp.call("launch_token", wanted),
      mcp.call("launch_token", wanted),
    ]);
    expect(launched.data).toMatchObject({ status: "success", ticker: wanted.ticker });
    expect(repeated).toEqual(launched);
    const { eventId, tokenMint } = launched.data;
    expect((await mcp.call("retry_launch", { eventId })).data).toEqual(launched.data);
    expect((await mcp.call("get_launch", { eventId })).data).toEqual(launched.data);
    expect((await mcp.call("list_tokens")).data.tokens).toHaveLength(1);
    expect((await mcp.call("get_token", { tokenMint })).data.ticker).toBe(wanted.ticker);

    await wallet.client.dev.airdrop({ sol: 0.1 });
    await wallet.client.dev.trade({ tokenMint, side: "buy", sol: 10 });
    const fees = await mcp.call("get_fees", { tokenMint });
    const [record] = fees.data.claims;
    const claimed = await mcp.call("claim_fees", { tokenMint });
    expect(claimed.data.claimedSOL).toBe(record.claimableSOL);
    expect((await mcp.call("claim_fees", { tokenMint })).code).toBe("no_fees_to_claim");
    const { claims } = await wallet.client.claims();
    expect(claims.map(({ dbcClaimedFees }) => dbcClaimedFees)).toEqual([claimed.data.claimedSOL]);

    const history = await mcp.call("get_history", { tokenMint });
    expect(history.data.claims).toMatchObject([claimed.data]);
    const check = await mcp.call("check_launch", request());
    expect(check.data).toMatchObject({ ok: false, endsAs: { status: "rate_limited" } });

    const { events } = (await mcp.call("list_events")).data;
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      "launch.succeeded",
      "claim.confirmed",
    ]);
  },
);

const KEYWORDS = [
  ...["type", "properties", "required", "items", "description", "additionalProperties", "enum"],
  ...["minimum", "maximum", "pattern"],
];

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly items?: object;
  readonly enum?: unknown;
  readonly pattern?: string;
  readonly maximum?: number;
}

/** Returns what is wrong with a schema and those within it, with their paths. */
function wrongIn(schema: object, path: string): string[] {
  const { type, properties = {}, required = [], items, enum: texts } = schema as Schema;
  const { pattern = "", maximum = 0 } = schema as Schema;
  const wrong = [
    ...Object.keys(schema).filter((key) => !KEYWORDS.includes(key)),
    ...required.filter((name) => !Object.hasOwn(properties, name)),
    typeof type !== "string" && "no type",
    texts !== undefined && type !== "string" && "an enum without the type string",
    type === "array" && items === undefined && "no items",
    // A long pattern helps no model: it copies addresses and ids.
    pattern.length > 20 && "a long pattern",
    maximum === Number.MAX_SAFE_INTEGER && "a maximum that is none",
  ];
  return [
    ...wrong.filter((one) => one !== false).map((one) => `${path}: ${one}`),
    ...Object.entries({ ...properties, items }).flatMap(([name, one]) =>
      one === undefined ? [] : wrongIn(one, `${path}.${name}`),
    ),
  ];
}

test("every tool has hints, and schemas that every model can read", async () => {
  using wallet = agent();
  const all = ["--files", wallet.path, "--pay", "--max-launch-cost-sol", "1"];
  await using mcp = await wallet.mcp(all);
  const { tools } = await mcp.client.listTools();
  await using withNode = await wallet.mcp(["--rpc-url", "http://127.0.0.1:1"]);
  const { tools: others } = await withNode.client.listTools();
  const proofs = others.filter(({ name }) => name === "verify_token");
  expect(proofs).toHaveLength(1);
  for (const { name, title, description, inputSchema, annotations } of [...tools, ...proofs]) {
    expect([name, title?.length, description?.length]).toEqual([
      name,
      expect.any(Number),
      expect.any(Number),
    ]);
    expect(wrongIn(inputSchema, name)).toEqual([]);
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(annotations).toEqual({
      readOnlyHint: !WRITES.includes(name),
      destructiveHint: DESTROYS.includes(name),
      idempotentHint: true,
      openWorldHint: true,
    });
  }
  expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(20_000);
  const names = tools.map(({ name }) => name);
  expect([...WRITES, "get_health"].filter((name) => !names.includes(name))).toEqual([]);
});

test("a token that was handed over is listed, accepted by its ticker, and claimed with all others", async () => {
  using wallet = agent();
  using giver = agent();
  const { ticker } = request();
  const { eventId } = await giver.client.launch({ name: "Given", ticker });
  const tokenMint = (await giver.client.waitForLaunch(eventId)).tokenMint ?? "";
  await giver.client.dev.airdrop({ sol: 1 });
  await giver.client.handOver(tokenMint, { to: wallet.address });
  await using mcp = await wallet.mcp();
  const waiting = await mcp.call("list_waiting_tokens");
  expect(waiting.data.tokens).toMatchObject([{ ticker, tokenMint }]);
  expect((await mcp.call("get_token", { tokenMint: ticker })).code).toBe("token_not_found");
  expect((await mcp.call("accept_token", { tokenMint: ticker })).data.tokenMint).toBe(tokenMint);
  const launched = await mcp.call("launch_token", request());
  const tickers = [ticker, launched.data.ticker].sort();
  const page = await mcp.call("list_tokens", { limit: 1 });
  expect(page.text).toContain("There are more: use nextCursor.");
  const rest = await mcp.call("list_tokens", { limit: 1, cursor: page.data.nextCursor });
  const listed = [...page.data.tokens, ...rest.data.tokens];
  expect(listed.map((one: { ticker: string }) => one.ticker).sort()).toEqual(tickers);
  await wallet.client.dev.airdrop({ sol: 1 });
  for (const mint of [tokenMint, launched.data.tokenMint]) {
    await wallet.client.dev.trade({ tokenMint: mint, side: "buy", sol: 1 });
  }
  for (const name of tickers) {
    for (const tool of ["get_token", "get_fees"]) {
      expect((await mcp.call(tool, { tokenMint: name })).isError).toBe(false);
    }
  }
  const claimed = await mcp.call("claim_all_fees");
  const claims: readonly { ticker: string }[] = claimed.data.claims;
  expect(claims.map((one) => one.ticker).sort()).toEqual(tickers);
  expect(claimed.data.claimedSOL).toBe(0.02);
  expect((await mcp.call("claim_all_fees")).data).toMatchObject({ claims: [], claimedSOL: 0 });
  // Models send numbers as text, and null for arguments that they omit.
  const history = { tokenMint: ticker, limit: "1", cursor: null };
  expect((await mcp.call("get_history", history)).data.claims).toMatchObject([{ ticker }]);
});

test("with --read-only nothing that writes can be called, whatever else is allowed", async () => {
  using wallet = agent();
  const others = ["--allow-mainnet", "--max-launches-per-day", "9"];
  await using mcp = await wallet.mcp(["--read-only", ...others]);
  expect((await mcp.tools()).filter((name) => WRITES.includes(name))).toEqual([]);
  await expect(mcp.call("launch_token", request())).rejects.toThrow("not found");
  expect((await wallet.client.tokens()).tokens).toEqual([]);
});

test("the day's launches end at --max-launches-per-day, and no restart lifts it", async () => {
  using wallet = agent();
  const first = request();
  {
    await using mcp = await wallet.mcp();
    await mcp.call("launch_token", first);
  }
  await using mcp = await wallet.mcp();
  const refusal = async () => (await mcp.call("launch_token", request())).code;
  expect(await refusal()).toBe("launches_used_up");
  expect((await mcp.call("launch_token", first)).data.status).toBe("success");
  expect((await wallet.client.tokens()).tokens).toHaveLength(1);
});

test("a service that is no sandbox and no localnet gets no call without --allow-mainnet", async () => {
  let network: string | undefined = "mainnet-beta";
  const health = { ok: true, db: "connected", timestamp: "2026-03-01T09:00:00.000Z" };
  await using api = serveApi({
    "GET /health": () => ({ ...health, network }),
    "GET /api/v1/tokens/": () => ({ tokens: [] }),
    "GET /api/v1/wallet": () => ({ wallet: wallet.address, balanceSOL: 0.25 }),
  });
  using wallet = agent();
  await using mcp = await wallet.mcp(["--no-confirm"], { apiUrl: api.url });
  const calls = [
    ["launch_token", request()],
    ["cancel_launch", { eventId: crypto.randomUUID() }],
    ...["list_tokens", "list_launches", "get_wallet"].map((name) => [name, {}] as const),
  ] as const;
  for (network of ["mainnet-beta", "devnet", "testnet", "other", "new", undefined]) {
    for (const [name, input] of calls) {
      expect((await mcp.call(name, input)).code).toBe("mainnet_not_allowed");
    }
  }
  const lifted = { ...request(), allowMainnet: true };
  expect((await mcp.call("launch_token", lifted)).isError).toBe(true);
  expect(new Set(api.requests)).toEqual(new Set());
  // A public server that replaces the sandbox later gets no launch either.
  network = "localnet";
  expect((await mcp.call("list_tokens")).data).toEqual({ tokens: [] });
  network = "mainnet-beta";
  expect((await mcp.call("launch_token", request())).code).toBe("mainnet_not_allowed");
  await using allowed = await wallet.mcp(["--allow-mainnet"], { apiUrl: api.url });
  expect((await allowed.call("list_tokens")).data).toEqual({ tokens: [] });
  // An older service does not name its network.
  network = undefined;
  const { data } = await allowed.call("get_wallet");
  expect(data).toEqual({ wallet: wallet.address, balanceSOL: 0.25 });
});

test("a service that says it is a sandbox gets no signature that has an effect elsewhere", async () => {
  let signatures = 0;
  const tokenMint = String(mint);
  const health = { ok: true, db: "connected", timestamp: "2026-03-01T09:00:00.000Z" };
  const transaction = meteoraClaims.curve;
  await using api = serveApi({
    "GET /health": () => ({ ...health, network: "sandbox" }),
    "GET /api/v1/tokens/claims": () => ({ claims: [claimRecord("AAA", tokenMint, 0.5)] }),
    [`POST /api/v1/tokens/claims/${tokenMint}`]: async (request) => {
      if ((await request.text()).includes("signedTransaction")) signatures++;
      return { success: true, transaction, expiresInSeconds: 60 };
    },
  });
  using wallet = agent(claimant.secretKey);
  const claim = async (...flags: string[]) => {
    await using mcp = await wallet.mcp(["--no-confirm", ...flags], { apiUrl: api.url });
    expect((await mcp.call("claim_all_fees")).data.claims).toMatchObject([{ claimedSOL: 0 }]);
    return (await mcp.call("claim_fees", { tokenMint })).code;
  };
  expect(await claim()).toBe("mainnet_not_allowed");
  expect(signatures).toBe(0);
  await claim("--allow-mainnet");
  expect(signatures).toBeGreaterThan(0);
});

test("a model reads the texts of a hostile service with nothing unseen in them", async () => {
  const unseen = "\x1b[2J\u202egnp.exe\u2028";
  const timestamp = "2026-03-01T09:00:00.000Z";
  const health = { ok: false, db: "connected", timestamp, message: unseen, [unseen]: unseen };
  const api = serveApi({
    "GET /health": () => health,
    "GET /api/v1/tokens/": () => refuse(403, unseen, { message: unseen, code: unseen }),
  });
  using wallet = agent();
  await using mcp = await wallet.mcp(["--allow-mainnet"], { apiUrl: api.url });
  const log = () => readFileSync(join(wallet.path, "tokenctl/mcp-audit.jsonl"), "utf8");
  for (const name of ["get_health", "list_tokens"]) {
    const { text, ...rest } = await mcp.call(name);
    expect(text).toContain("gnp.exe");
    for (const read of [text, JSON.stringify(rest), log()]) {
      expect(read.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
    }
  }
  expect(log()).toContain("gnp.exe");
  // Once it is away, the advice names no tool that has just failed.
  await api[Symbol.asyncDispose]();
  const advice = async (tool: string) => (await mcp.call(tool)).text.split("\n").at(-1);
  expect(await advice("get_health")).toBe("Try again in a minute");
  expect(await advice("list_tokens")).toBe("Try again in a minute; get_health shows what is down");
});

test.each(WAYS_TO_ASK)(
  "the user of a client of protocol %s is asked before a launch and a claim",
  async (protocol) => {
    using wallet = agent();
    const asked = user({ action: "decline" });
    const { questions, onQuestion } = asked;
    await using mcp = await wallet.mcp([], { protocol, onQuestion });
    const name = "A name that has more than 32 bytes";
    const long = { ...request(), name };
    const cut = await mcp.call("launch_token", long);
    expect(cut).toMatchObject({
      code: "name_too_long",
      text: expect.stringMatching(/32 byt".*onChainName/s),
    });
    expect(questions).toEqual([]);
    const wanted = { ...long, allowShortenedName: true };
    expect((await mcp.call("check_launch", wanted)).text).toContain(
      "Its name on chain is A name that",
    );
    expect((await mcp.call("launch_token", wanted)).code).toBe("not_confirmed");
    expect((await wallet.client.tokens()).tokens).toEqual([]);
    asked.answer = { action: "accept", content: { agree: false } };
    expect((await mcp.call("launch_token", wanted)).code).toBe("not_confirmed");
    asked.answer = user().answer;
    const { status, tokenMint } = (await mcp.call("launch_token", wanted)).data;
    expect(status).toBe("success");
    expect(questions).toHaveLength(3);

    await wallet.client.dev.airdrop({ sol: 0.1 });
    await wallet.client.dev.trade({ tokenMint, side: "buy", sol: 1 });
    asked.answer = { action: "cancel" };
    expect((await mcp.call("claim_fees", { tokenMint })).code).toBe("not_confirmed");
    expect((await wallet.client.claims()).claims).toMatchObject([{ dbcClaimedFees: 0 }]);
    asked.answer = user().answer;
    const claimed = await mcp.call("claim_fees", { tokenMint });
    expect(claimed.data.claimedSOL).toBe(0.01);
    // A repeat changes nothing, so the user is not asked.
    await mcp.call("launch_token", wanted);
    expect(questions).toHaveLength(5);
    expect(questions[0]).toStartWith(
      `Launch the token A name that has more than 32 byt (${wanted.ticker}) with the wallet`,
    );
    expect(questions[0]).toMatch(
      /\nName on chain +A name that has more than 32 byt\nFull name +A name .* bytes\nPaid by +the service\nFee on curve +1 %/,
    );
    const amount = `Claim 0.01 SOL of fees of ${wanted.ticker} (${tokenMint}) to the wallet ${wallet.address}`;
    expect(questions[3]).toStartWith(
      `${amount}, for at most 0.02 SOL in network fees and rent, at ${server.url}?`,
    );
  },
);

test("claims pay the payout that the owner has stored as it was at the start, and no argument changes that", async () => {
  using wallet = agent();
  using vault = temporaryWallet();
  const store = (payout: string) => writeConfigFile({ XDG_CONFIG_HOME: wallet.path }, { payout });
  store(`${vault.address}=75,${wallet.address}=25`);
  const { questions, onQuestion } = user();
  await using mcp = await wallet.mcp([], { onQuestion });
  store(wallet.address);
  const names = `${vault.address} (75 %) and ${wallet.address} (25 %)`;
  const tokenMint = await wallet.earning();
  const to = wallet.address;
  expect((await mcp.call("claim_fees", { tokenMint, to })).code).toBe("validation_failed");
  const claimed = await mcp.call("claim_fees", { tokenMint });
  expect(claimed.data.receivers).toEqual([
    { address: vault.address, paidSOL: 0.0075, paidLamports: "7500000" },
    { address: wallet.address, paidSOL: 0.0025, paidLamports: "2500000" },
  ]);
  expect(questions).toEqual([expect.stringContaining(`(${tokenMint}) to ${names}, for at most`)]);
  expect((await wallet.client.balance({ wallet: vault.address })).balanceSOL).toBe(0.0075);
});

test("a launch whose terms changed since the user agreed is asked about again", async () => {
  using wallet = agent();
  await wallet.client.dev.airdrop({ sol: 1 });
  let checks = 0;
  const check = async (request: Request) => {
    const answer = await fetch(`${server.url}/api/v1/tokens/launch/check`, request);
    const { fees, ...found } = (await answer.json()) as LaunchCheck;
    const bondingCurve = { ...fees?.bondingCurve, startBps: checks++ === 0 ? 100 : 9_900 };
    return { ...found, fees: { ...fees, bondingCurve } };
  };
  await using api = serveApi({ "POST /api/v1/tokens/launch/check": check }, server.url);
  const asked = user();
  const { questions } = asked;
  const onQuestion = (question: string) => {
    const { answer } = asked;
    asked.answer = { action: "decline" };
    asked.onQuestion(question);
    return answer;
  };
  const args = ["--pay", "--max-launch-cost-sol", "0.1"];
  await using mcp = await wallet.mcp(args, { apiUrl: api.url, onQuestion });
  const { code } = await mcp.call("launch_token", { ...request(), payer: "agent" });
  expect([code, questions.length]).toEqual(["not_confirmed", 2]);
  expect(questions[1]).toContain("99 %");
  expect((await wallet.client.launches()).launches).toEqual([]);
});

test("a claim is asked about again if the ticker names another token since the user agreed", async () => {
  using wallet = agent();
  const mints = [await wallet.earning(), mint.toBase58()];
  const { questions, onQuestion } = user();
  const tokens = async (request: Request) => {
    const answer = await fetch(`${server.url}/api/v1/tokens/`, request);
    const { tokens: found } = (await answer.json()) as TokenList;
    const tokenMint = mints[questions.length === 0 ? 0 : 1];
    return { tokens: [{ ...found[0], ticker: "MINE", tokenMint }] };
  };
  await using api = serveApi({ "GET /api/v1/tokens/": tokens }, server.url);
  await using mcp = await wallet.mcp([], { apiUrl: api.url, onQuestion });
  await mcp.call("claim_fees", { tokenMint: "MINE" });
  expect(questions).toEqual(mints.map((named) => expect.stringContaining(named)));
});

test("claim_all_fees is an error if every claim failed, and still lists them", async () => {
  using wallet = agent();
  const tokenMint = await wallet.earning();
  const path = `POST /api/v1/tokens/claims/${tokenMint}`;
  const routes = { [path]: () => refuse(502, "The claim transaction cannot be built") };
  await using api = serveApi(routes, server.url);
  await using mcp = await wallet.mcp(["--no-confirm"], { apiUrl: api.url });
  const { isError, data } = await mcp.call("claim_all_fees", {});
  expect([isError, data.claims]).toEqual([true, [expect.objectContaining({ tokenMint })]]);
});

test("a wallet pays for a launch only with --pay, and no more than --max-launch-cost-sol", async () => {
  using wallet = agent();
  const wanted = { ...request(), payer: "agent", firstBuySOL: 0.01 };
  {
    await using mcp = await wallet.mcp();
    for (const tool of ["check_launch", "launch_token"]) {
      expect((await mcp.call(tool, wanted)).code).toBe("validation_failed");
    }
    const { tools } = await mcp.client.listTools();
    expect(JSON.stringify(tools.map(({ inputSchema }) => inputSchema))).not.toMatch(
      /payer|firstBuy/,
    );
  }
  const { questions, onQuestion } = user();
  const args = ["--files", wallet.path, "--pay", "--max-launch-cost-sol", "0.1"];
  await using mcp = await wallet.mcp(args, { onQuestion });
  const { tools } = await mcp.client.listTools();
  expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(20_000);
  expect((await mcp.call("launch_token", wanted)).code).toBe("launch_unaffordable");
  expect((await mcp.call("check_launch", wanted)).text).toContain("it holds 0 SOL of the 0.0");
  await wallet.client.dev.airdrop({ sol: 1 });
  const dear = { ...wanted, firstBuySOL: 0.1 };
  expect((await mcp.call("launch_token", dear)).code).toBe("launch_too_dear");
  expect((await wallet.client.launches()).launches).toEqual([]);
  expect(questions).toEqual([]);
  const launched = await mcp.call("launch_token", wanted);
  expect(launched.data).toMatchObject({ status: "success", payer: "agent" });
  expect(await mcp.call("launch_token", wanted)).toEqual(launched);
  expect(questions).toHaveLength(1);
  expect(questions[0]).toMatch(
    /\nPaid by +this wallet\nCost +at most 0\.0\d+ SOL: rent .*\nAllowed +at most 0\.1 SOL\nFirst buy +0\.01 SOL\nIt gets +at least \d+\.\d+ tokens\n/,
  );
  expect((await wallet.client.balance()).balanceSOL).toBeCloseTo(1 - launched.data.costSOL, 9);
  const { stderr, exitCode } = await run(["mcp", "--pay"]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("need each other")]);
});

test.each(WAYS_TO_ASK)(
  "a client of protocol %s that cannot ask its user gets no launch and no claim without --no-confirm",
  async (protocol) => {
    using wallet = agent();
    await using mcp = await wallet.mcp([], { protocol });
    const tokenMint = await wallet.earning();
    server.clock.advance(DAY_MS);
    const calls = [
      ["launch_token", request()],
      ["claim_fees", { tokenMint }],
      ["claim_all_fees", {}],
    ] as const;
    for (const [name, input] of calls) {
      const refused = await mcp.call(name, input);
      expect(refused).toMatchObject({ isError: true, code: "cannot_ask" });
      expect(refused.text).toContain("with --no-confirm");
    }
    expect((await wallet.client.launches()).launches).toHaveLength(1);
    expect((await wallet.client.claims()).claims).toMatchObject([{ dbcClaimedFees: 0 }]);
  },
);

test("wrong arguments are named with their rule", async () => {
  using wallet = agent();
  await using mcp = await wallet.mcp();
  const status = "status must be one of pending, success, failed, rate_limited";
  for (const [name, input, rule] of [
    ["launch_token", { name: "A token" }, "ticker is required"],
    ["launch_token", { name: "A", maxLaunchesPerDay: 9 }, "maxLaunchesPerDay is not a known field"],
    ["launch_token", { name: "A", ticker: "OK", waitSeconds: 99 }, "a whole number from 0 to 50"],
    ["get_token", { tokenMint: 7 }, "tokenMint must be a ticker of 2 to 10 letters and digits"],
    ["list_launches", { status: "done" }, status],
  ] as const) {
    expect(await mcp.call(name, input)).toMatchObject({
      isError: true,
      code: "validation_failed",
      text: expect.stringContaining(rule),
    });
  }
});

test("a model uploads images of the folder of --files and reads nothing else", async () => {
  using wallet = agent();
  using outside = tempDir();
  const folder = join(wallet.path, "images");
  const image = pngImage(4, 4);
  mkdirSync(join(folder, "sub"), { recursive: true });
  const secret = join(outside.path, "other.png");
  for (const path of [join(folder, "logo.png"), join(folder, "sub/logo.png"), secret]) {
    writeFileSync(path, image);
  }
  symlinkSync(secret, join(folder, "link.png"));
  symlinkSync(outside.path, join(folder, "away"));
  symlinkSync("sub/logo.png", join(folder, "inside.png"));
  writeFileSync(join(folder, "key.png"), readFileSync(wallet.keypair));
  writeFileSync(join(folder, "huge.png"), "");
  truncateSync(join(folder, "huge.png"), 1e12);
  expect(Bun.spawnSync(["mkfifo", join(folder, "pipe.png")]).exitCode).toBe(0);
  {
    await using without = await wallet.mcp();
    expect(await without.tools()).not.toContain("upload_image");
  }
  const sent: Buffer[] = [];
  const images = async (asked: Request) => {
    const body = Buffer.from(await asked.arrayBuffer());
    sent.push(body);
    const { method, headers } = asked;
    return fetch(`${server.url}/api/v1/images`, { method, headers, body });
  };
  await using api = serveApi({ "POST /api/v1/images": images }, server.url);
  const args = ["--no-confirm", "--files", folder];
  await using mcp = await wallet.mcp(args, { apiUrl: api.url });
  const upload = (file: string) => mcp.call("upload_image", { file });
  const { data } = await upload("logo.png");
  for (const file of ["sub/logo.png", "inside.png", join(folder, "logo.png")]) {
    expect((await upload(file)).data).toEqual(data);
  }
  const foreign = [secret, "../id.json", "sub/../../id.json", "link.png", "away/other.png", ".."];
  for (const file of foreign) {
    const refused = await upload(file);
    expect([file, refused.code]).toEqual([file, "image_file"]);
    expect(refused.text).toContain("is not in the folder of --files");
  }
  for (const [file, why] of [
    ["huge.png", "has 1000000000000 bytes"],
    ["pipe.png", "is not a file"],
    ["sub", "is not a file"],
    ["none.png", "cannot be read (ENOENT)"],
    ["a\0b", "cannot be read"],
    ["key.png", "is not a PNG, JPEG, WebP or GIF file by its content"],
  ] as const) {
    const refused = await upload(file);
    expect([file, refused.isError]).toEqual([file, true]);
    expect(refused.text).toContain(why);
  }
  expect(sent).toEqual(Array.from({ length: 4 }, () => Buffer.from(image)));
  const wanted = { ...request(), imageUrl: data.url };
  expect((await mcp.call("launch_token", wanted)).data.status).toBe("success");
});

test("the audit log has every call and its outcome, for its owner alone, and no secret", async () => {
  using wallet = agent();
  const path = join(wallet.path, "audit.jsonl");
  const wanted = request();
  appendFileSync(path, "");
  chmodSync(path, 0o644);
  {
    // With --no-confirm the user, who would decline, is not asked.
    const { onQuestion } = user({ action: "decline" });
    await using mcp = await wallet.mcp(["--no-confirm", "--audit-log", path], { onQuestion });
    await mcp.call("launch_token", wanted);
    await mcp.call("launch_token", { name: 7 });
    await mcp.call("claim_fees", { tokenMint: wallet.address });
    await mcp.call("get_token", { tokenMint: "x".repeat(5_000) });
  }
  {
    await using full = await wallet.mcp(["--no-confirm", "--audit-log", "/dev/full"]);
    expect((await full.call("launch_token", request())).code).toBe("audit_unwritable");
    expect((await wallet.client.launches()).launches).toHaveLength(1);
  }
  const text = readFileSync(path, "utf8");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ time, process: pid, eventId, tokenMint, ...line }) => line)).toEqual([
    { call: 1, tool: "launch_token", arguments: { name: "A token", ticker: wanted.ticker } },
    { call: 1, outcome: "done", ticker: wanted.ticker, status: "success" },
    { call: 2, tool: "launch_token", arguments: { name: 7 } },
    { call: 2, outcome: "failed", code: "validation_failed" },
    { call: 3, tool: "claim_fees", arguments: { tokenMint: wallet.address } },
    { call: 3, outcome: "failed", code: "token_not_found" },
    { call: 4, tool: "get_token", arguments: expect.stringMatching(/^.{4096}…$/) },
    { call: 4, outcome: "failed", code: "validation_failed" },
  ]);
  const secrets = [readFileSync(wallet.keypair, "utf8"), "eyJ"];
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
