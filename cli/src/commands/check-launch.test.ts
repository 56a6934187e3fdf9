import { expect, test } from "bun:test";
import { join } from "node:path";
import type { LaunchCheck } from "@tokenctl/sdk";
import { goodCheck, runAgainst } from "../testing/api.ts";
import { EVENT } from "../testing/records.ts";

const CHECK = "POST /api/v1/tokens/launch/check";

const good: LaunchCheck = {
  ...goodCheck,
  queue: { depth: 4, place: 5, limit: 10_000 },
  fees: {
    bondingCurve: { startBps: 2_000, endBps: 100, creatorSharePercent: 64 },
    liquidityPool: { startBps: 125, endBps: 125, creatorSharePercent: 80 },
  },
};

async function dryRun(found: LaunchCheck, ...flags: string[]) {
  const launch = ["launch", "--name", "dog wif hat", "--ticker", "WIF", "--dry-run"];
  return runAgainst({ [CHECK]: () => found }, [...launch, ...flags]);
}

test("launch --dry-run prints what was found, and launches nothing", async () => {
  const { stdout, stderr, exitCode, requests } = await dryRun(good);
  expect({ stderr, exitCode, requests }).toEqual({ stderr: "", exitCode: 0, requests: [CHECK] });
  expect(stdout).toBe(`Launch        ok
Today         no token yet, 1 waiting, launches accepted: 2 of 20
Queue         place 5 of 10000
Server        ok
On chain      dog wif hat (WIF)
Fee on curve  20 % of each trade, later 1 %; 64 % of it to the agent
Fee in pool   1.25 % of each trade; 80 % of it to the agent
`);
  expect(JSON.parse((await dryRun(good, "--json")).stdout)).toEqual(good);
});

test("launch --dry-run --pay states the cost, and fails if the wallet cannot pay", async () => {
  const costSOL = {
    total: 0.5319,
    rent: 0.0118,
    networkFee: 0.0001,
    creationFee: 0.02,
    firstBuy: 0.5,
  };
  const payment = { costSOL, requiredSOL: 0.5328, balanceSOL: 0.1, canPay: false, config: null };
  const poor = await dryRun({ ...good, ok: false, payment }, "--pay", "--first-buy", "0.5");
  expect(poor.exitCode).toBe(5);
  expect(poor.stdout).toContain("Launch        launch_unaffordable\n");
  expect(poor.stdout).toContain(
    "Cost          at most 0.5319 SOL: rent 0.0118 SOL, network fee 0.0001 SOL, creation fee 0.02 SOL, first buy 0.5 SOL\n",
  );
  expect(poor.stdout).toContain("Wallet        0.1 SOL of the 0.5328 SOL that it must hold\n");
  expect(poor.stderr).toContain("it holds 0.1 SOL of the 0.5328 SOL that it must hold");
  expect(poor.stderr).toContain("tokenctl dev airdrop");
  const rich = { ...payment, balanceSOL: 1, canPay: true };
  expect((await dryRun({ ...good, payment: rich }, "--pay")).exitCode).toBe(0);
});

test("a launch that would end rate_limited exits as that launch would, and says the server's text", async () => {
  const endsAs = { status: "rate_limited", error: "Launched today\u202e" } as const;
  const done = await dryRun({ ...good, ok: false, endsAs });
  expect(done.exitCode).toBe(7);
  expect(done.stdout).toContain("Launch        would end rate_limited\n");
  expect(done.stderr).toContain(
    "error: The launch would end rate_limited: Launched today\\u{202e}\n",
  );
  expect(done.stderr).toContain("after 00:00 UTC");
});

test("launch --dry-run reads the image's file, and uploads nothing", async () => {
  const logo = join(import.meta.dir, "../../../docs/launch.png");
  expect((await dryRun(good, "--image", logo)).requests).toEqual([CHECK]);
  const { exitCode, requests } = await dryRun(good, "--image", "/nonexistent/logo.png");
  expect({ exitCode: exitCode > 0, requests }).toEqual({ exitCode: true, requests: [] });
});

test("launch --dry-run names each wrong field, and all that would refuse the launch", async () => {
  const { stdout, stderr, exitCode } = await dryRun({
    ...good,
    ok: false,
    refusals: [
      {
        code: "validation_failed",
        error: "Validation failed",
        details: [{ field: "imageUrl", message: "must be an http URL" }],
      },
      { code: "queue_full", error: "Launch queue is full" },
    ],
  });
  expect(stdout).toContain("Launch        validation_failed, queue_full\n");
  expect(stdout).toContain("Wrong         imageUrl must be an http URL\n");
  expect(stderr).toStartWith(
    "error: The launch would be refused: Validation failed; Launch queue is full\nhint: Correct",
  );
  expect(exitCode).toBe(2);
});

test.each([
  ["pending", `tokenctl status ${EVENT} --wait`],
  ["success", `tokenctl status ${EVENT}`],
  ["failed", `tokenctl retry ${EVENT}`],
  ["rate_limited", `tokenctl retry ${EVENT}`],
] as const)(
  "a ticker of the wallet's own launch that is %s leads to `%s`",
  async (status, next) => {
    const about = (eventId: string): LaunchCheck => ({
      ...good,
      ok: false,
      refusals: [{ code: "ticker_taken", error: "Ticker WIF already exists", eventId, status }],
    });
    const { stderr } = await dryRun(about(EVENT));
    expect(stderr).toContain("It is your own launch");
    expect(stderr).toContain(`\`${next}\``);
    const { stderr: hostile } = await dryRun(about("x; rm -rf ~"));
    expect(hostile).not.toContain("rm");
  },
);
