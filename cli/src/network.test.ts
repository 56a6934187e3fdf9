import { expect, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { DBC } from "@tokenctl/shared/programs/ids";
import { giveRole } from "@tokenctl/shared/programs/recipes";
import { builder } from "../../sdk/src/internal/program-address.ts";
import {
  agent,
  build,
  meteoraClaims,
  mint,
  pool,
  stranger,
} from "../../sdk/test/claim-transactions.ts";
import { prepared } from "../../sdk/test/client-fixtures.ts";
import { goodCheck, type Handler, runAgainst } from "./testing/api.ts";
import type { RunOptions } from "./testing/cli.ts";
import { claimRecord, EVENT, launchStatus, MINT, tokenRecord } from "./testing/records.ts";

const launched = launchStatus({
  ticker: "WIF",
  status: "success",
  processedAt: "now",
  tokenMint: MINT,
  poolAddress: MINT,
});

const accepted = { success: true, eventId: EVENT, message: "" };
const token = tokenRecord({
  tokenMint: mint.toBase58(),
  poolAddress: pool.toBase58(),
  ticker: "AAA",
  tokenName: "A",
});

const on = (network?: string): Record<string, Handler> => ({
  "GET /health": () => ({ ok: true, db: "connected", timestamp: "now", network }),
  "POST /api/v1/tokens/launch": () => accepted,
  [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => launched,
  "GET /api/v1/tokens/claims": () => ({ claims: [] }),
});
test.each([
  ["asks before a claim that can land on a real chain", meteoraClaims.curve, 1],
  ["asks nothing before one that a sandbox alone takes", prepared.transaction, 0],
])("claim --all %s, whatever the server calls its chain", async (_, transaction, questions) => {
  for (const network of ["sandbox", "localnet"]) {
    let [asked, signed] = [0, 0];
    const routes: Record<string, Handler> = {
      ...on(network),
      [`GET /api/v1/tokens/${token.tokenMint}`]: () => token,
      "GET /api/v1/tokens/claims": () => ({ claims: [claimRecord("AAA", token.tokenMint)] }),
      [`POST /api/v1/tokens/claims/${token.tokenMint}`]: async (request) => {
        signed += (await request.text()) === "" ? 0 : 1;
        return { ...prepared, transaction };
      },
    };
    const { stderr } = await runAgainst(routes, ["claim", "--all"], {
      secretKey: agent.secretKey,
      answer() {
        asked++;
        return "n";
      },
    });
    expect([asked, signed > 0]).toEqual([questions, questions === 0]);
    if (questions > 0) expect(stderr).toContain("AAA: Nothing was done\n");
  }
});

test("a hand-over asks before it can land on a real chain, whatever the server calls its chain", async () => {
  const to = stranger.toBase58();
  const config = pool.toBase58();
  const realPool = builder.poolAddress(DBC, config, [mint.toBase58(), WRAPPED_SOL_MINT]);
  const from = agent.publicKey.toBase58();
  const role = giveRole(builder, { pool: realPool, config, from, to });
  const keys = role.accounts.map(({ address, ...flags }) => ({
    pubkey: new PublicKey(address),
    ...flags,
  }));
  const programId = new PublicKey(role.program);
  const bytes = build([{ programId, keys, data: Buffer.from(role.data) }]);
  const transaction = Buffer.from(bytes).toString("base64");
  const costs = { expiresInSeconds: 60, networkFeeSOL: 0.000005, rentSOL: 0 };
  const questions: string[] = [];
  const routes: Record<string, Handler> = {
    ...on("sandbox"),
    [`GET /api/v1/tokens/${token.tokenMint}`]: () => token,
    [`POST /api/v1/tokens/hand-overs/${token.tokenMint}`]: () => ({
      ...{ success: true, transaction },
      ...costs,
    }),
  };
  const { stderr } = await runAgainst(routes, ["hand-over", token.tokenMint, "--to", to], {
    secretKey: agent.secretKey,
    answer(question) {
      questions.push(question);
      return "n";
    },
  });
  expect(stderr).toContain("error: Nothing was done\n");
  expect(questions).toHaveLength(1);
});

const ACCEPT = "POST /api/v1/tokens/launch";
const CHECK = "POST /api/v1/tokens/launch/check";
const CANCEL = `POST /api/v1/tokens/launch/${EVENT}/cancel`;
const CLAIM = `POST /api/v1/tokens/claims/${MINT}`;
const cancelled = launchStatus({ status: "failed", error: "Cancelled by its agent" });

const asking = (network: string | undefined): Record<string, Handler> => ({
  ...on(network),
  [CHECK]: () => goodCheck,
  [CANCEL]: () => cancelled,
  "GET /api/v1/tokens/claims": () => ({ claims: [claimRecord("MINE", MINT, 1)] }),
});

/** Runs a command at a terminal that answers questions, or without a terminal. */
async function runOn(network: string | undefined, line: string, options: RunOptions = {}) {
  const questions: string[] = [];
  const { answer } = options;
  const finished = await runAgainst(asking(network), line.split(" "), {
    ...options,
    ...(answer && {
      answer: (question) => {
        questions.push(question);
        return answer(question);
      },
    }),
  });
  return { ...finished, questions };
}

const COMMANDS: [string, string][] = [
  ["launch --name Mine --ticker MINE --no-wait", ACCEPT],
  [`cancel ${EVENT}`, CANCEL],
  ["claim --all", CLAIM],
];

test.each(COMMANDS)("`%s` asks once where money is real, and no ends it", async (line, route) => {
  for (const network of ["mainnet-beta", "devnet", "private", undefined]) {
    for (const answer of network === "devnet" ? ["", "n", "no", "yy"] : ["n"]) {
      const refused = await runOn(network, line, { answer: () => answer });
      expect(refused.questions).toHaveLength(1);
      expect(refused.questions[0]).toEndWith("? [y/N] ");
      expect(refused.questions[0]).toContain(network ?? "an unknown chain");
      expect(refused).toMatchObject({ stdout: "", exitCode: 1 });
      expect(refused.stderr).toContain("error: Nothing was done\n");
      expect(refused.requests).not.toContain(route);
    }
    const agreed = await runOn(network, line, { answer: () => " Y " });
    expect(agreed.questions).toHaveLength(1);
    expect(agreed.requests).toContain(route);
  }
});

test.each(COMMANDS)(
  "`%s` asks no sandbox, localnet, script, pipe or --yes",
  async (line, route) => {
    const answer = () => "n";
    for (const [network, more, options] of [
      ["sandbox", "", { answer }],
      ["localnet", "", { answer }],
      ["mainnet-beta", " --yes", { answer }],
      ["mainnet-beta", " --json", { answer }],
      ["mainnet-beta", "", {}],
    ] as const) {
      const done = await runOn(network, line + more, options);
      expect(done.questions).toEqual([]);
      expect(done.requests).toContain(route);
    }
  },
);
