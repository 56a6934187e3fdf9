import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { type TSchema, Type } from "@sinclair/typebox";
import { contract } from "@tokenctl/shared/contract/contract";
import { LAMPORTS_PATTERN, Open } from "@tokenctl/shared/contract/values";
import { agent, build, localClaim, mint } from "../../sdk/test/claim-transactions.ts";
import { createProgram } from "./grammar/program.ts";
import { type Handler, runAgainst } from "./testing/api.ts";
import { type RunOptions, run, tempDir, temporaryWallet } from "./testing/cli.ts";
import { EVENT } from "./testing/records.ts";

const MINT = mint.toBase58();

const range = (first: number, last = first) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index));

const CONTROLS = [...range(0x00, 0x1f), ...range(0x7f, 0x9f)];
/** Characters that change the writing direction, break a line or are invisible. */
const MARKS = [
  ...["\u00ad", "\u034f", "\u061c", "\u115f", "\u3164", "\ufeff", "\u180e", "\uffa0"],
  ...[...range(0x200b, 0x200f), ...range(0x2028, 0x202e), ...range(0x2060, 0x206f)],
  ...[...range(0xfff9, 0xfffb), ...range(0xe0000, 0xe007f), ...range(0xe0100, 0xe01ef)],
];
/** A text that sets colours and a title, adds a line, and contains every forbidden character. */
const HOSTILE = `x\x1b[31m\x1b]0;PWNED\x07${CONTROLS.join("")}${MARKS.join("")}\r\nFORGED`;
const ESCAPED = /\\u(?:\{202e\}|202e)/;

/** Returns the characters of a text that must not reach a terminal. */
function unseen(text: string, allowed = "\n"): string[] {
  const forbidden = new Set([...CONTROLS, ...MARKS]);
  const found = [...new Set(text)].filter((one) => forbidden.has(one) && !allowed.includes(one));
  return found.map((one) => `U+${one.codePointAt(0)?.toString(16)}`);
}

/** Returns an answer with {@link HOSTILE} wherever its schema allows any text. */
function hostile(schema: TSchema): unknown {
  const { anyOf, const: only, type, pattern, items, properties } = schema;
  if (only !== undefined) return only;
  const [first = Type.Null(), ...others] = (anyOf ?? []) as TSchema[];
  const isChoice = [first, ...others].every((one) => one.const !== undefined);
  if (anyOf) return isChoice && Open in schema ? HOSTILE : hostile(first);
  if (type === "array") return [hostile(items)];
  if (type === "object") {
    const fields = Object.entries<TSchema>(properties ?? {});
    return Object.fromEntries(fields.map(([name, field]) => [name, hostile(field)]));
  }
  if (type === "boolean") return true;
  if (type === "null") return null;
  if (type !== "string") return type === "integer" ? 1 : 1e300;
  return pattern === LAMPORTS_PATTERN ? "1" : HOSTILE;
}

/** @param more fields that the command needs to continue */
const of = (name: string, more: object = {}) => ({
  ...(hostile(contract.get(name) ?? Type.Never()) as Record<string, unknown>),
  ...more,
});

const launch = of("LaunchStatus", { eventId: EVENT, status: "failed", waitingFor: undefined });
const pending = of("Launch", { status: "pending", tokenMint: null, error: null });
const accepted = of("LaunchAccepted");
const token = of("Token", { [HOSTILE]: HOSTILE });
const claim = of("ClaimRecord", { claimedElsewhere: undefined, creatorChanged: undefined });
const delivery = of("WebhookDelivery", { status: "failed" });
const refuse = (status: number, code: string) => () =>
  Response.json({ error: HOSTILE, code }, { status });

/** Answers for every route, with {@link HOSTILE} wherever the contract allows any text. */
const ANSWERS: Record<string, Handler> = {
  "GET /health": () => of("Health", { ok: false }),
  "GET /api/v1/wallet": () => of("WalletBalance", { balanceSOL: 1 }),
  "GET /api/v1/tokens/launches": () => ({
    launches: [of("Launch", { status: "failed" }), pending],
  }),
  [`POST /api/v1/tokens/launch/${EVENT}/cancel`]: () => pending,
  "GET /api/v1/tokens/": () => ({ tokens: [token] }),
  [`GET /api/v1/tokens/${MINT}`]: () => token,
  "GET /api/v1/tokens/claims/history": () => ({ claims: [of("PaidClaim"), of("PaidClaim")] }),
  "POST /api/v1/tokens/launch/check": () => of("LaunchCheck", { ok: false }),
  "GET /api/v1/tokens/claims": () => ({ claims: [claim, { ...claim, tokenMint: MINT }] }),
  [`POST /api/v1/tokens/claims/${MINT}`]: async (request) =>
    (await request.text()) === ""
      ? {
          success: true,
          transaction: Buffer.from(build(localClaim())).toString("base64"),
          expiresInSeconds: 60,
        }
      : { success: true, transactionHash: HOSTILE, claimedSOL: 1e300 },
  "POST /api/v1/tokens/launch": () => accepted,
  [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => launch,
  [`POST /api/v1/tokens/launch/${EVENT}/retry`]: () => accepted,
  "GET /api/v1/tokens/waiting": () => ({ tokens: [token] }),
  [`POST /api/v1/tokens/received/${MINT}`]: () => token,
  // The client takes no text from a successful answer.
  [`POST /api/v1/tokens/hand-overs/${MINT}`]: refuse(409, "creator_changed"),
  // A successful answer has no text.
  "POST /api/v1/invites/redeem": refuse(403, "invite_invalid"),
  "GET /api/v1/events/stream": () => {
    const event = of("AgentEvent", { id: 1, type: HOSTILE });
    return new Response(`id: 1\nevent: ${HOSTILE}\ndata: ${JSON.stringify(event)}\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  },
  "GET /api/v1/webhooks": () => ({ webhooks: [of("Webhook")] }),
  "POST /api/v1/webhooks": () => of("WebhookWithSecret"),
  [`DELETE /api/v1/webhooks/${EVENT}`]: () => ({ success: true, url: HOSTILE }),
  [`GET /api/v1/webhooks/${EVENT}/deliveries`]: () => ({ deliveries: [delivery] }),
  [`POST /api/v1/webhooks/${EVENT}/test`]: () => delivery,
  "POST /dev/airdrop": () => of("DevAirdrop", { sol: 1 }),
  "POST /dev/trade": () => of("DevTrade", { sol: 1, creatorFeeSOL: 1 }),
  "POST /dev/graduate": () => of("DevGraduation"),
};

const VERIFY = "POST /api/auth/verify";

function refusals(status: number, routes: readonly string[]): Record<string, Handler> {
  const error = {
    error: HOSTILE,
    code: HOSTILE,
    message: HOSTILE,
    details: [{ field: HOSTILE, message: HOSTILE }],
  };
  const refuse = () =>
    Response.json(error, {
      status,
      headers: { "x-request-id": "r\u009b31m", "retry-after": "99" },
    });
  return Object.fromEntries(routes.map((route) => [route, refuse]));
}

const ASKING: Record<string, string[]> = {
  balance: [],
  login: ["--show-token"],
  launches: [],
  cancel: [EVENT],
  redeem: [HOSTILE],
  launch: ["--name", "a", "--ticker", "AA", "--no-wait"],
  status: [EVENT],
  retry: [EVENT, "--no-wait"],
  tokens: [],
  token: [MINT],
  fees: [],
  claim: ["--all"],
  "hand-over": [MINT, "--to", agent.publicKey.toBase58(), "--yes"],
  accept: [MINT],
  history: [],
  watch: ["--count", "1"],
  "webhooks add": ["https://agent.example/"],
  "webhooks list": [],
  "webhooks remove": [EVENT],
  "webhooks test": [EVENT],
  "webhooks deliveries": [EVENT],
  health: [],
  "dev airdrop": [],
  "dev trade": [MINT, "--sol", "1"],
  "dev graduate": [MINT],
};
const FORMS_OF_ASKING: [string, string[]][] = [
  ["accept", ["--list"]],
  ["launch", ["--name", "a", "--ticker", "AA", "--dry-run"]],
];
/** Commands without requests to a server: they show only files and arguments. */
const ALONE = [
  ...["keygen", "address", "completion", "licenses", "open", "explain"],
  ...["config get", "config set", "config unset"],
];
const HIDDEN = ["complete"];
/** `commands/verify.test.ts` covers it with a hostile node. */
const OF_A_NODE = ["verify"];
/** `mcp/serve.test.ts` covers it with a hostile server: it writes to a model, not to a terminal. */
const TO_A_MODEL = ["mcp"];

test("these tests run every command", () => {
  const program = createProgram({ out: silent, err: silent, env: {} }, async () => {});
  const names = program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((sub) => `${command.name()} ${sub.name()}`),
  );
  const run = [...Object.keys(ASKING), ...ALONE, ...HIDDEN, ...OF_A_NODE, ...TO_A_MODEL];
  expect(run.sort()).toEqual(names.sort());
});

const silent = { write: () => true, isTerminal: async () => false, columns: async () => null };

/** Each with the statuses of its refusals, whose texts go the same way in every form. */
const FORMS: [string, string[], RunOptions, number[]][] = [
  ["for people", [], {}, [400, 503]],
  ["as JSON", ["--json"], {}, [409]],
  ["in a terminal", [], { terminal: true }, [500]],
];

for (const [form, flags, options, statuses] of FORMS) {
  const asking = [...Object.entries(ASKING), ...FORMS_OF_ASKING];
  test.each(asking)(`%s escapes the texts of a hostile server ${form}`, async (command, args) => {
    // Sign-in succeeds for all other commands, so that they reach their own requests.
    const isLogin = command === "login";
    const answers = isLogin ? { [VERIFY]: () => ({ token: HOSTILE }) } : ANSWERS;
    const refusing = statuses.map((status) => refusals(status, Object.keys(answers)));
    for (const routes of [answers, ...refusing]) {
      const line = [...command.split(" "), ...args, ...flags];
      const asAgent = { ...options, secretKey: agent.secretKey };
      const { stdout, stderr } = await runAgainst(routes, line, asAgent);
      expect(unseen(stdout + stderr)).toEqual([]);
      expect(stdout + stderr).toMatch(ESCAPED);
      expect(stdout + stderr).not.toMatch(/^FORGED/m);
    }
  });
}

test.each([[[]], [["--json"]]])(
  "a claim prints no character of a hostile receipt unescaped, with flags %j",
  async (flags) => {
    const { secretKey } = agent;
    const { stdout, stderr } = await runAgainst(ANSWERS, ["claim", MINT, ...flags], { secretKey });
    expect(stdout + stderr).toMatch(/Claimed|claimedSOL|error/);
    expect(unseen(stdout + stderr)).toEqual([]);
  },
);

test("hostile text from the command line, the environment and the file system is escaped too", async () => {
  using folder = tempDir();
  using wallet = temporaryWallet();
  // A file name may contain every character except NUL and the slash.
  const name = `${HOSTILE.replaceAll("\0", "").slice(0, 40)}\u202e\u009b`;
  mkdirSync(join(folder.path, name));
  const keypair = join(folder.path, name, "id.json");
  renameSync(wallet.keypair, keypair);
  const missing = join(folder.path, name, "missing.json");
  const lines: [string[], Record<string, string>?][] = [
    [[HOSTILE]],
    [["tokens", HOSTILE]],
    [["tokens", `--${HOSTILE}`]],
    [["token", HOSTILE]],
    [["dev", "airdrop", "--sol", HOSTILE]],
    [["health"], { TOKENCTL_API_URL: HOSTILE }],
    [["health"], { TOKENCTL_API_URL: `http://127.0.0.1:1/${HOSTILE}` }],
    [["address", "-k", missing]],
    [["explain", missing]],
    [["keygen", "-o", keypair]],
    [["keygen", "-o", join(folder.path, name, "new.json")]],
    [["address"], { TOKENCTL_KEYPAIR: missing, TOKENCTL_DEBUG: "1" }],
  ];
  for (const [args, env = {}] of lines) {
    for (const flags of [[], ["--json"]]) {
      const { stdout, stderr } = await run([...args, ...flags], { env });
      expect(stdout + stderr).not.toBe("");
      expect(unseen(stdout + stderr)).toEqual([]);
    }
  }
  expect((await run(["keygen", "-o", keypair])).stderr).toMatch(ESCAPED);
  chmodSync(keypair, 0o644);
  for (const flags of [[], ["--json"]]) {
    const { stderr } = await run(["address", "-k", keypair, ...flags]);
    expect(stderr).toContain("Others can read the keypair");
    expect(unseen(stderr)).toEqual([]);
  }
});
