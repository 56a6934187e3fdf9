import { afterAll, expect, spyOn, test } from "bun:test";
import type { ClaimRecord, UnreadableClaim } from "@tokenctl/sdk";
import { startTestServer } from "../../../test/support/test-server.ts";
import { refuseWith, runAgainst, serveApi } from "../testing/api.ts";
import { run, temporaryWallet } from "../testing/cli.ts";
import { claimRecord } from "../testing/records.ts";

const SECOND = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin";
const GONE = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";

// A retry waits for a random delay from 0 upwards: here it is always 0.
const random = spyOn(Math, "random").mockReturnValue(0);
afterAll(() => random.mockRestore());

const unreadable: UnreadableClaim[] = [
  { tokenMint: GONE, ticker: "GONE", error: "The pool was not found" },
];
const SKIPPED = `Skipped GONE (${GONE}): its fees cannot be read: The pool was not found`;

/** Runs `claim --all` for these tokens and one more whose fees cannot be read. */
async function claimBeside(claims: readonly ClaimRecord[], ...flags: string[]) {
  const routes = {
    "GET /api/v1/tokens/claims": () => ({ claims, unreadable }),
    [`POST /api/v1/tokens/claims/${SECOND}`]: () => refuseWith("token_not_found"),
  };
  return runAgainst(routes, ["claim", "--all", ...flags]);
}

test("claim --all names the tokens that it skips, and tries the others", async () => {
  const human = await claimBeside([claimRecord("BBB", SECOND)]);
  expect(human.stderr).toStartWith(`warning: ${SKIPPED}\nerror: 1 of 1 claims failed\n`);
  expect(human.stdout).toContain("BBB");
  const json = await claimBeside([claimRecord("BBB", SECOND)], "--json");
  expect(json.stderr).toStartWith(`${JSON.stringify({ warning: SKIPPED })}\n`);
  expect(JSON.parse(json.stdout)).toMatchObject({ claims: [{ ticker: "BBB" }], unreadable });
});

test("a claim that costs more than it pays is asked about by claim, and skipped by claim --all, which names it", async () => {
  await using server = await startTestServer();
  using wallet = temporaryWallet();
  const tokenctl = (...args: string[]) =>
    run([...args, "--api-url", server.url, "-k", wallet.keypair]);
  await tokenctl("dev", "airdrop");
  await tokenctl("launch", "--name", "Dust", "--ticker", "DUST", "--interval", "0.1");
  // The token earns 1,000 lamports, and a claim costs 5,000.
  await tokenctl("dev", "trade", "DUST", "--sol", "0.0001");

  const all = await tokenctl("claim", "--all", "--json");
  expect(all.exitCode).toBe(0);
  expect(JSON.parse(all.stdout)).toMatchObject({
    claims: [],
    skipped: [{ ticker: "DUST", reason: "costs_more_than_it_pays", claimableSOL: 0.000001 }],
  });
  const human = await tokenctl("claim", "--all");
  expect(human.stdout).toContain("a claim costs more than it pays: DUST (0.000001 SOL)\n");

  const health = { ok: true, db: "connected", timestamp: "now", network: "devnet" };
  await using api = serveApi({ "GET /health": () => health }, server.url);
  const questions: string[] = [];
  const claim = (answer: string) =>
    run(["claim", "DUST", "--api-url", api.url, "-k", wallet.keypair], {
      answer: (question) => {
        questions.push(question);
        return answer;
      },
    });
  expect((await claim("n")).exitCode).toBe(1);
  expect(questions).toEqual([
    "Claim 0.000001 SOL at a cost of up to 0.000005 SOL on devnet? [y/N] ",
  ]);
  // A second trade's fees raise what the claim pays above its cost.
  await tokenctl("dev", "trade", "DUST", "--sol", "1");
  const more = await tokenctl("claim", "--all", "--json");
  expect(JSON.parse(more.stdout).claimedSOL).toBe(0.010001);
  await tokenctl("dev", "trade", "DUST", "--sol", "0.0001");
  expect((await claim("y")).exitCode).toBe(0);
});
