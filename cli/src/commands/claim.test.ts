import { afterAll, expect, spyOn, test } from "bun:test";
import { keypairSigner } from "@tokenctl/sdk";
import { errorCodes } from "@tokenctl/shared/error-codes";
import bs58 from "bs58";
import {
  mint as claimed,
  fromBase64,
  meteoraClaims,
  pool,
  agent as signer,
} from "../../../sdk/test/claim-transactions.ts";
import { prepared } from "../../../sdk/test/client-fixtures.ts";
import { startTestServer } from "../../../test/support/test-server.ts";
import { type Handler, refuse, refuseWith, runAgainst, serveApi } from "../testing/api.ts";
import { run, tempDir, temporaryWallet } from "../testing/cli.ts";
import { claimRecord, tokenRecord } from "../testing/records.ts";

const DAY_MS = 24 * 60 * 60_000;

const A = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const B = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";

/** The token of the transactions that are signed without a real server. */
const CLAIMED = claimed.toBase58();

let tickers = 0;

const server = await startTestServer();
// A retry waits for a random delay from 0 upwards: here it is always 0.
const random = spyOn(Math, "random").mockReturnValue(0);
afterAll(async () => {
  random.mockRestore();
  await server[Symbol.asyncDispose]();
});

/** Makes a wallet with SOL for network fees and `count` tokens, launched a day apart. */
async function agentWithTokens(count: number) {
  const wallet = temporaryWallet();
  const tokenctl = (
    args: readonly string[],
    url = server.url,
    answer?: (question: string) => string,
  ) => run([...args, "--api-url", url, "-k", wallet.keypair], answer && { answer });
  const data = async (...args: string[]) => {
    const { stdout, stderr, exitCode } = await tokenctl([...args, "--json"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    return JSON.parse(stdout);
  };
  await data("dev", "airdrop");
  const tokens: { mint: string; ticker: string }[] = [];
  while (tokens.length < count) {
    server.clock.advance(DAY_MS);
    const ticker = `CLI${++tickers}`;
    const flags = ["--name", "A token", "--ticker", ticker, "--interval", "0.1"];
    tokens.push({ ticker, mint: (await data("launch", ...flags)).tokenMint });
  }
  return { ...wallet, tokenctl, data, tokens };
}

test("claim prints what the claim paid", async () => {
  using agent = await agentWithTokens(1);
  const mint = agent.tokens[0]?.mint ?? "";
  await agent.data("dev", "trade", mint, "--sol", "2");
  const human = await agent.tokenctl(["claim", mint]);
  expect(human).toMatchObject({ stderr: "", exitCode: 0 });
  expect(human.stdout).toMatch(`Claimed      0.02 SOL\nMint         ${mint}\nTransaction  `);
  const paid = {
    tokenMint: mint,
    claimedSOL: 0.01,
    transactionHash: expect.stringMatching(/^[1-9A-Za-z]{80,88}$/),
  };
  await agent.data("dev", "trade", mint, "--sol", "1");
  expect(await agent.data("claim", mint)).toEqual(paid);
  // With a node of its own, the wallet also checks how much it gained.
  const rpc = ["--rpc-url", `${server.url}/dev/rpc`];
  const checked = { verified: true, gainedSOL: 0.009995 };
  await agent.data("dev", "trade", mint, "--sol", "1");
  expect(await agent.data("claim", mint, ...rpc)).toEqual({ ...paid, ...checked });
  await agent.data("dev", "trade", mint, "--sol", "1");
  expect((await agent.data("claim", "--all", ...rpc)).claims).toMatchObject([checked]);
});

test("claim --to pays other wallets by their shares, and --all too", async () => {
  using agent = await agentWithTokens(2);
  using vault = temporaryWallet();
  using partner = temporaryWallet();
  const [first] = agent.tokens;
  const to = ["--to", `${vault.address}=70`, "--to", `${partner.address}=30%`];
  await agent.data("dev", "trade", first?.mint ?? "", "--sol", "2");
  const { stdout, exitCode } = await agent.tokenctl(["claim", first?.mint ?? "", ...to]);
  expect(exitCode).toBe(0);
  expect(stdout).toStartWith(
    `Claimed      0.02 SOL\nPaid         0.014 SOL to ${vault.address}\nPaid         0.006 SOL to ${partner.address}\n`,
  );
  for (const { mint } of agent.tokens) await agent.data("dev", "trade", mint, "--sol", "1");
  const { claims } = await agent.data("claim", "--all", ...to);
  const receivers = [
    { address: vault.address, paidSOL: 0.014, paidLamports: "14000000" },
    { address: partner.address, paidSOL: 0.006, paidLamports: "6000000" },
  ];
  expect(claims).toMatchObject([{ receivers }, { receivers }]);
  await agent.data("dev", "trade", first?.mint ?? "", "--sol", "1");
  const all = await agent.tokenctl(["claim", "--all", "--to", vault.address]);
  expect(all.stdout).toContain(`Paid 0.01 SOL to ${vault.address}\n`);
});

test("claim pays the stored payout and shows it before the signature, unless --to says otherwise", async () => {
  using agent = await agentWithTokens(1);
  using vault = temporaryWallet();
  const mint = agent.tokens[0]?.mint ?? "";
  const folder = tempDir();
  const env = { XDG_CONFIG_HOME: folder.path, TERM: "dumb" };
  const args = ["--api-url", server.url, "-k", agent.keypair];
  const claim = async (...flags: string[]) => {
    await agent.data("dev", "trade", mint, "--sol", "1");
    return run(["claim", mint, ...flags, ...args], { env, terminal: true });
  };
  expect((await run(["config", "set", "payout", vault.address], { env })).exitCode).toBe(0);
  const paid = await claim();
  const line = `0.01 SOL to ${vault.address}`;
  const shown = `Pays ${line}, the fees of ${mint} (by \`config set payout\`)`;
  expect(paid.stderr.replaceAll("\n", " ")).toContain(shown);
  expect(paid.stdout).toContain(`Paid         ${line}\n`);
  const named = await claim("--to", `${vault.address}=50`, "--to", `${agent.address}=50`);
  expect(named.stdout).toContain(`Paid         0.005 SOL to ${agent.address}\n`);
  expect((await claim("--to", agent.address)).stdout).not.toContain("Paid");
  folder[Symbol.dispose]();
});

test.each([
  ["not the address", ["--to", "vault"]],
  ["add up to 100", ["--to", A, "--to", B]],
  ["add up to 100", ["--to", `${A}=33.5`, "--to", `${B}=66.5`]],
])("claim refuses --to: %s", async (words, flags) => {
  using wallet = temporaryWallet();
  const args = ["--api-url", "http://127.0.0.1:9", "-k", wallet.keypair];
  const { stderr, exitCode } = await run(["claim", "WIF", ...flags, ...args]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("error: --to: ");
  expect(stderr).toContain(words);
});

const ALL = "POST /api/v1/tokens/claims";

test("claim --all goes on after a claim that fails", async () => {
  using agent = await agentWithTokens(3);
  for (const { mint } of agent.tokens) await agent.data("dev", "trade", mint, "--sol", "1");
  const broken = agent.tokens[1];
  await using front = serveApi(
    {
      [`POST /api/v1/tokens/claims/${broken?.mint}`]: () =>
        refuse(502, "The claim transaction cannot be built"),
      [ALL]: () => refuse(502, "The claim transaction cannot be built"),
    },
    server.url,
  );
  const { stdout, stderr, exitCode } = await agent.tokenctl(["claim", "--all"], front.url);
  expect(exitCode).toBe(6);
  expect(stdout.match(/ {2}0\.01 SOL {2}/g)).toHaveLength(2);
  expect(stdout).toMatch(/CLI\d+ .*- {2}-\n/);
  expect(stdout).toMatch(/Total +0\.02 SOL\nCLI\d+: The claim transaction cannot be built\n$/);
  expect(stderr).toMatch(
    /error: 1 of 3 claims failed; CLI\d+: The claim transaction cannot be built\n/,
  );
  expect(stderr).toContain("Run it again for the rest");
  const { ticker, mint: tokenMint } = broken ?? {};
  const transactionHash = expect.any(String);
  expect(await agent.data("claim", "--all")).toMatchObject({
    claims: [{ tokenMint, ticker, claimedSOL: 0.01, transactionHash, error: null }],
    claimedSOL: 0.01,
  });
  const none = await agent.tokenctl(["claim", "--all"]);
  expect(none).toEqual({ stdout: "Nothing to claim.\n", stderr: "", exitCode: 0 });
});

/** Does what Ctrl-C would do to the command that {@link claimBoth} runs. */
let interrupt = () => {};

/** Runs `claim --all` for two tokens; the handlers decide how each claim ends. */
async function claimBoth(claimA: Handler, claimB: Handler) {
  const routes = {
    "GET /api/v1/tokens/claims": () => ({
      claims: [claimRecord("AAA", A), { ...claimRecord("BBB", B), lpClaimableFees: 0.01 }],
    }),
    [`POST /api/v1/tokens/claims/${A}`]: claimA,
    [`POST /api/v1/tokens/claims/${B}`]: claimB,
  };
  const finished = await runAgainst(routes, ["claim", "--all", "--json"], {
    onInterruptible: (listener) => {
      interrupt = listener;
    },
  });
  const { requests } = finished;
  // The first request names all tokens, but this server claims one at a time.
  const claims = requests.filter((request) => request.startsWith("POST") && request !== ALL);
  return { ...finished, claims };
}

const FACTS = { code: "insufficient_sol", requiredSOL: 0.00204928, balanceSOL: 0.001 };
const SHORT = { ...FACTS, message: "Send 5 SOL to the moon" };
const short = () => refuse(409, "The wallet has too little SOL", SHORT);

test("if the wallet has too little SOL, claim says how much to send to which address", async () => {
  const routes = { [`POST /api/v1/tokens/claims/${A}`]: short };
  const { address, ...human } = await runAgainst(routes, ["claim", A]);
  expect(human).toMatchObject({
    stdout: "",
    stderr:
      "error: The wallet has too little SOL: it needs 0.00204928 SOL and holds 0.001 SOL\n" +
      `hint: Send at least 0.00104928 SOL to ${address}; on a sandbox, \`tokenctl dev airdrop\` does that\n`,
    exitCode: 5,
  });
  const json = await runAgainst(routes, ["claim", A, "--json"]);
  expect(JSON.parse(json.stderr)).toMatchObject({ ...FACTS, wallet: json.address, exitCode: 5 });
});

test("claim --all succeeds if fees were claimed since it read them, and lists the tokens", async () => {
  const taken = () => refuseWith("no_fees_to_claim");
  const { exitCode, stdout, stderr, claims } = await claimBoth(taken, taken);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(claims).toHaveLength(2);
  const reason = "nothing_to_claim";
  expect(JSON.parse(stdout)).toEqual({
    claims: [],
    claimedSOL: 0,
    skipped: [
      { tokenMint: A, ticker: "AAA", reason, claimableSOL: 0 },
      { tokenMint: B, ticker: "BBB", reason, claimableSOL: 0 },
    ],
  });
});

test("Ctrl-C while claim --all waits for an answer says that it is not known whether it was paid", async () => {
  using agent = await agentWithTokens(1);
  const [token] = agent.tokens;
  await agent.data("dev", "trade", token?.mint ?? "", "--sol", "1");
  let interrupt = () => {};
  const claimPath = `POST /api/v1/tokens/claims/${token?.mint}`;
  await using front = serveApi(
    {
      [claimPath]: async (request) => {
        const body = await request.text();
        const answer = await fetch(new URL(new URL(request.url).pathname, server.url), {
          method: "POST",
          headers: request.headers,
          body,
        });
        if (!body.includes("signedTransaction")) return answer;
        // The claim is paid, and its answer never comes.
        interrupt();
        return new Promise(() => {});
      },
    },
    server.url,
  );
  const args = ["claim", "--all", "--api-url", front.url, "-k", agent.keypair];
  const { stdout, stderr, exitCode } = await run(args, {
    onInterruptible: (listener) => {
      interrupt = listener;
    },
  });
  expect(exitCode).toBe(130);
  expect(stdout).not.toContain("failed");
  expect(stderr).toContain("It is not known whether the claim was paid: Interrupted\n");
  expect(stderr).toEndWith("fees are paid only once. Run it again for the rest\n");
  const { claims } = await agent.data("history");
  expect(claims).toHaveLength(1);
});

test("claim --all names what it cannot read, and why each other claim failed", async () => {
  const unreadable = [{ tokenMint: CLAIMED, ticker: "GONE", error: "The pool was not found" }];
  const routes = {
    "GET /api/v1/tokens/claims": () => ({
      claims: [claimRecord("AAA", A), claimRecord("BBB", B)],
      unreadable,
    }),
    [`POST /api/v1/tokens/claims/${A}`]: () => refuseWith("claim_expired"),
    [`POST /api/v1/tokens/claims/${B}`]: () => refuseWith("token_not_found"),
  };
  const warning = `Skipped GONE (${CLAIMED}): its fees cannot be read: The pool was not found`;
  const human = await runAgainst(routes, ["claim", "--all"]);
  expect(human.stderr).toStartWith(
    `warning: ${warning}\nerror: 2 of 2 claims failed; BBB: Token not found\n`,
  );
  expect(human.exitCode).toBe(4);
  const json = await runAgainst(routes, ["claim", "--all", "--json"]);
  expect(json.stderr).toStartWith(`${JSON.stringify({ warning })}\n`);
  const expired = "Claim transaction expired, request a new one";
  expect(JSON.parse(json.stdout)).toMatchObject({
    claims: [
      { tokenMint: A, claimedSOL: 0, transactionHash: null, error: expired },
      { tokenMint: B, claimedSOL: 0, transactionHash: null, error: "Token not found" },
    ],
    claimedSOL: 0,
    unreadable,
  });
});

test("Ctrl-C stops claim --all, which still lists the claims that it tried", async () => {
  const { exitCode, stdout, stderr, claims } = await claimBoth(
    () => {
      interrupt();
      return new Promise(() => {});
    },
    () => refuseWith("no_fees_to_claim"),
  );
  expect(exitCode).toBe(130);
  expect(claims).toHaveLength(1);
  expect(JSON.parse(stdout).claims).toHaveLength(1);
  expect(JSON.parse(stderr)).toMatchObject({ code: "aborted", exitCode: 130 });
});

test("a claim that costs more than it pays is asked about by claim, and skipped by claim --all, which names it", async () => {
  using agent = await agentWithTokens(1);
  const { mint = "", ticker } = agent.tokens[0] ?? {};
  const trade = (sol: string) => agent.data("dev", "trade", mint, "--sol", sol);
  // The token earns 1,000 lamports, and a claim costs 5,000.
  await trade("0.0001");
  expect(await agent.data("claim", "--all")).toMatchObject({
    claims: [],
    skipped: [{ ticker, reason: "costs_more_than_it_pays", claimableSOL: 0.000001 }],
  });
  const human = await agent.tokenctl(["claim", "--all"]);
  expect(human.stdout).toContain(`a claim costs more than it pays: ${ticker} (0.000001 SOL)\n`);

  const health = { ok: true, db: "connected", timestamp: "now", network: "devnet" };
  await using api = serveApi({ "GET /health": () => health }, server.url);
  const questions: string[] = [];
  const claim = (reply: string) =>
    agent.tokenctl(["claim", mint], api.url, (question) => {
      questions.push(question);
      return reply;
    });
  expect((await claim("n")).exitCode).toBe(1);
  expect(questions).toEqual([
    "Claim 0.000001 SOL at a cost of up to 0.000005 SOL on devnet? [y/N] ",
  ]);
  // A second trade's fees raise what the claim pays above its cost.
  await trade("1");
  expect((await agent.data("claim", "--all")).claimedSOL).toBe(0.010001);
  await trade("0.0001");
  expect((await claim("y")).exitCode).toBe(0);
});

/** Runs a claim of one token whose signed transaction the server answers as the test says. */
async function claimOf(
  submit: (stop: () => Promise<void>) => ReturnType<Handler>,
  ...flags: string[]
) {
  await using api = serveApi({
    [`GET /api/v1/tokens/${CLAIMED}`]: () => tokenRecord({ poolAddress: pool.toBase58() }),
    [`POST /api/v1/tokens/claims/${CLAIMED}`]: async (request) =>
      (await request.text()) === "" ? prepared : submit(async () => api[Symbol.asyncDispose]()),
  });
  using wallet = temporaryWallet(signer.secretKey);
  return await run(["claim", CLAIMED, ...flags, "--api-url", api.url, "-k", wallet.keypair]);
}

test.each([
  [async (stop: () => Promise<void>) => stop(), "Cannot reach http", 6],
  [() => refuseWith("internal_error"), "Internal server error\n", 1],
] as const)(
  "after a claim whose outcome is not known, the hint is to run it again (%#)",
  async (submit, why, exitCode) => {
    const again = `When \`tokenctl health\` says ok, run \`tokenctl claim ${CLAIMED}\` again: fees are paid only once`;
    const human = await claimOf(submit);
    expect(human).toMatchObject({ stdout: "", exitCode });
    expect(human.stderr).toStartWith(`error: It is not known whether the claim was paid: ${why}`);
    expect(human.stderr).toEndWith(`\nhint: ${again}\n`);
    expect(human.stderr.split("\n")).toHaveLength(3);
    const json = await claimOf(submit, "--json");
    expect(JSON.parse(json.stderr)).toMatchObject({ code: "claim_unsettled", hint: again });
  },
);

test.each([
  ["claim_expired", 5],
  ["claim_mismatch", 1],
] as const)(
  "if the claim's transaction is no longer valid, the hint is to run it again: %s",
  async (code, exitCode) => {
    // The command keeps no signed transaction, so that the server's advice is useless.
    const message = "Sign exactly the transaction that step 1 gave for this token.";
    const advice = code === "claim_mismatch" ? { message } : {};
    expect(await claimOf(() => refuseWith(code, advice))).toMatchObject({
      stderr: `error: ${errorCodes[code].text}\nhint: Run the claim again: it requests a new transaction\n`,
      exitCode,
    });
  },
);

/** Runs `claim` against a server with 30 tokens; each claim costs 0.00206428 SOL. */
async function claimWithBudget(answer: () => unknown, ...args: string[]) {
  const records = Array.from({ length: 30 }, (_, index) => claimRecord(`T${index}`, CLAIMED, 0.5));
  let signatures = 0;
  const routes = {
    "GET /api/v1/tokens/claims": () => ({ claims: records }),
    [`POST /api/v1/tokens/claims/${CLAIMED}`]: async (request: Request) => {
      const isSigned = (await request.text()) !== "";
      signatures += isSigned ? 1 : 0;
      const transaction = meteoraClaims.curve;
      return isSigned ? answer() : { success: true, transaction, expiresInSeconds: 60 };
    },
  };
  const { secretKey } = signer;
  const finished = await runAgainst(routes, ["claim", ...args, "--json"], { secretKey });
  return { ...finished, signatures };
}

/** The receipt of the claim that {@link claimWithBudget} signs. */
const receipt = () => {
  const bytes = keypairSigner(signer).signTransaction(fromBase64(meteoraClaims.curve));
  const transactionHash = bs58.encode((bytes as Uint8Array).subarray(1, 65));
  return { success: true, transactionHash, claimedSOL: 0.5 };
};

test("claim --all spends at most 0.02 SOL, also on claims that fail, and says why it stops", async () => {
  const { exitCode, stdout, stderr, signatures } = await claimWithBudget(receipt, "--all");
  expect(signatures).toBe(9);
  expect(JSON.parse(stdout).claims).toHaveLength(10);
  expect(JSON.parse(stdout).claimedSOL).toBe(4.5);
  expect(JSON.parse(stderr)).toEqual({
    error:
      "1 of 30 claims failed; T9: Not signed: this claim may cost 0.00206428 SOL and earlier ones " +
      "0.01857852 SOL, more than the 0.02 SOL allowed",
    code: "budget_exhausted",
    hint: "Allow more with --max-total-fee-sol. Run it again for the rest",
    exitCode: 1,
  });
  expect(exitCode).toBe(1);
  const failed = await claimWithBudget(() => refuse(502, "The chain refused the claim"), "--all");
  expect(failed.signatures).toBe(9);
  expect(JSON.parse(failed.stderr).code).toBe("budget_exhausted");
});

test("--max-total-fee-sol holds to the lamport", async () => {
  for (const [most, signed] of [
    ["0.00412856", 2],
    ["0.004128559", 1],
  ] as const) {
    const all = await claimWithBudget(receipt, "--all", "--max-total-fee-sol", most);
    expect(all.signatures).toBe(signed);
  }
  const single = await claimWithBudget(receipt, CLAIMED, "--max-total-fee-sol", "0.002");
  expect(single.signatures).toBe(0);
  expect(JSON.parse(single.stderr).code).toBe("budget_exhausted");
});
