import { afterAll, expect, spyOn, test } from "bun:test";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { agent, mint, pool } from "../../../sdk/test/claim-transactions.ts";
import { prepared } from "../../../sdk/test/client-fixtures.ts";
import type { Handler } from "../testing/api.ts";
import { refuseWith, serveApi } from "../testing/api.ts";
import { run, temporaryWallet } from "../testing/cli.ts";
import { tokenRecord } from "../testing/records.ts";

const MINT = mint.toBase58();

const token = tokenRecord({ poolAddress: pool.toBase58(), ticker: "WIF", tokenName: "Hat" });

// A retry waits for a random delay from 0 upwards: here it is always 0.
const random = spyOn(Math, "random").mockReturnValue(0);
afterAll(() => random.mockRestore());

/** Claims from a server that prepares the claim, and calls `submit` for the signed one. */
async function claimed(
  submit: (stop: () => Promise<void>) => ReturnType<Handler>,
  ...flags: string[]
) {
  await using api = serveApi({
    [`GET /api/v1/tokens/${MINT}`]: () => token,
    [`POST /api/v1/tokens/claims/${MINT}`]: async (request) =>
      (await request.text()) === "" ? prepared : submit(async () => api[Symbol.asyncDispose]()),
  });
  using wallet = temporaryWallet(agent.secretKey);
  return await run(["claim", MINT, ...flags, "--api-url", api.url, "-k", wallet.keypair]);
}

const AGAIN = `When \`tokenctl health\` says ok, run \`tokenctl claim ${MINT}\` again: fees are paid only once`;
/** Advice that is useless here: the CLI keeps no signed transaction. */
const USELESS = /in a minute|same transaction|Sign |Start a server|request id/;

test.each([
  [
    "its server died",
    async (stop: () => Promise<void>) => {
      await stop();
    },
    /^Cannot reach http:\S+: connection (refused|reset)$/,
    6,
  ],
  ["the service failed", () => refuseWith("internal_error"), /^Internal server error$/, 1],
] as const)(
  "after a claim during which %s, the hint is to run it again",
  async (_, submit, why, code) => {
    const { stdout, stderr, exitCode } = await claimed(submit);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: code });
    expect(stderr).not.toMatch(USELESS);
    const [error = "", hint, ...rest] = stderr.trimEnd().split("\n");
    const [told, reason = ""] = error.split(" was paid: ");
    expect(told).toBe("error: It is not known whether the claim");
    expect(reason).toMatch(why);
    expect(hint).toBe(`hint: ${AGAIN}`);
    expect(rest).toEqual([]);
    const json = await claimed(submit, "--json");
    expect(JSON.parse(json.stderr)).toMatchObject({ code: "claim_unsettled", hint: AGAIN });
  },
);

test.each([
  ["claim_expired", 5],
  ["claim_mismatch", 1],
] as const)(
  "if the claim's transaction is no longer valid, the hint is to run it again: %s",
  async (code, exit) => {
    const message = "Sign exactly the transaction that step 1 gave for this token.";
    const { stderr, exitCode } = await claimed(() =>
      refuseWith(code, code === "claim_mismatch" ? { message } : {}),
    );
    expect(exitCode).toBe(exit);
    expect(stderr).toBe(
      `error: ${errorCodes[code].text}\nhint: Run the claim again: it requests a new transaction\n`,
    );
  },
);
