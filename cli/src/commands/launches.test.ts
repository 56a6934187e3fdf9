import { expect, test } from "bun:test";
import { type Handler, runAgainst } from "../testing/api.ts";
import { EVENT, launchStatus, MINT } from "../testing/records.ts";

const NEWER = "2b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";
const LIST = "GET /api/v1/tokens/launches";
const CANCEL = `POST /api/v1/tokens/launch/${EVENT}/cancel`;
const NEWER_STATUS = `GET /api/v1/tokens/launch/status/${NEWER}`;
const WALLET = "GET /api/v1/wallet";
const HEALTH = "GET /health";

const AT = "2026-11-21T09:30:00.123Z";
const cancelled = launchStatus({
  ...{ ticker: "WIF", status: "failed", processedAt: AT, error: "Cancelled by its agent" },
});
const listed = { tokenName: "dog wif hat", createdAt: AT };
const done = launchStatus({
  ...{ ...listed, ticker: "BONK", status: "success", processedAt: AT },
  ...{ tokenMint: MINT, poolAddress: MINT },
});
const waiting = launchStatus({
  ...{ ...listed, ticker: "WIF", waitingFor: "queue", waitingSince: AT },
});

test("launches lists all, with what a pending one waits for", async () => {
  const list = { launches: [waiting, { ...done }, { ...waiting, ...cancelled }] };
  const { stdout, stderr, exitCode } = await runAgainst({ [LIST]: () => list }, ["launches"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout.split("\n")).toEqual([
    `TICKER  STATUS   EVENT ID                              LAUNCHED              MINT                                          WHY`,
    `WIF     pending  ${EVENT}  2026-11-21 09:30:00Z  -                                             its turn`,
    `BONK    success  ${EVENT}  2026-11-21 09:30:00Z  ${MINT}`,
    `WIF     failed   ${EVENT}  2026-11-21 09:30:00Z  -                                             Cancelled by its agent`,
    "",
  ]);
  const json = await runAgainst({ [LIST]: () => list }, ["launches", "--json"]);
  expect(JSON.parse(json.stdout)).toEqual(JSON.parse(JSON.stringify(list)));
});

test("launches asks for one status and for the newest", async () => {
  const queries: string[] = [];
  const route: Handler = ({ url }) => {
    const { search } = new URL(url);
    queries.push(search);
    return { launches: [] };
  };
  const args = ["launches", "--status", "rate_limited", "--limit", "5"];
  const { stdout } = await runAgainst({ [LIST]: route }, args);
  expect(queries).toEqual(["?status=rate_limited&limit=5"]);
  expect(stdout).toBe("This wallet has no launch with the status rate_limited.\n");
});

test.each([
  ["status", `GET /api/v1/tokens/launch/status/${NEWER}`],
  ["retry", `POST /api/v1/tokens/launch/${NEWER}/retry`],
  ["cancel", `POST /api/v1/tokens/launch/${NEWER}/cancel`],
])("%s takes the ticker of the newest launch with it, from any page", async (command, route) => {
  const answer = { ...cancelled, success: true, eventId: NEWER, message: "" };
  const pages: Record<string, object> = {
    "": { launches: [done], nextCursor: "a" },
    a: { launches: [{ ...waiting, eventId: NEWER }, waiting] },
  };
  const routes: Record<string, Handler> = {
    [LIST]: ({ url }) => pages[new URL(url).searchParams.get("cursor") ?? ""],
    [route]: () => answer,
    [NEWER_STATUS]: () => ({ ...cancelled, eventId: NEWER }),
  };
  const flags = command === "retry" ? ["--no-wait"] : [];
  const { requests } = await runAgainst(routes, [command, "wif", ...flags]);
  const reads = command === "retry" ? [NEWER_STATUS] : [];
  expect(requests).toEqual([LIST, LIST, ...reads, route]);
  const unknown = await runAgainst(routes, [command, "NONE", ...flags]);
  expect(unknown).toMatchObject({ exitCode: 4, requests: [LIST, LIST] });
  expect(unknown.stderr).toStartWith("error: This wallet has no launch with the ticker NONE\n");
});

test("Ctrl-C before the answer says that the retry may go on", async () => {
  let interrupt = () => {};
  const { stderr, exitCode } = await runAgainst(
    {
      [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => cancelled,
      [`POST /api/v1/tokens/launch/${EVENT}/retry`]: () => {
        interrupt();
        return new Promise(() => {});
      },
    },
    ["retry", EVENT],
    {
      onInterruptible: (listener) => {
        interrupt = listener;
      },
    },
  );
  expect(exitCode).toBe(130);
  expect(stderr).toBe(
    "error: Interrupted before the server answered\nhint: It may continue: `tokenctl status` shows whether it does\n",
  );
});

test("a server whose list always has another page keeps no command running", async () => {
  let page = 0;
  const list = () => ({ launches: [done], ...(++page < 200 && { nextCursor: `${page}` }) });
  const { exitCode, requests } = await runAgainst({ [LIST]: list }, ["status", "WIF"]);
  expect([exitCode, requests.length]).toEqual([4, 100]);
});

test("cancel ends a launch, and that is a success", async () => {
  const { stdout, stderr, exitCode } = await runAgainst(
    { [CANCEL]: () => cancelled },
    ["cancel", EVENT],
    { terminal: true, env: { TERM: "dumb" } },
  );
  expect(exitCode).toBe(0);
  expect(stdout).toContain("Status     failed\n");
  expect(stdout).toContain("Error      Cancelled by its agent\n");
  expect(stderr).toContain("The ticker WIF is free");
});

test("balance shows the wallet's SOL and the network", async () => {
  const routes = {
    [WALLET]: () => ({ wallet: MINT, balanceSOL: 1.000000001 }),
    [HEALTH]: () => ({ ok: true, db: "connected", timestamp: "now", network: "devnet" }),
  };
  const { stdout } = await runAgainst(routes, ["balance"]);
  expect(stdout).toBe(`Balance  1.000000001 SOL\nWallet   ${MINT}\nNetwork  devnet\n`);
});

test("status shows what a pending launch waits for, also for reasons of newer servers", async () => {
  const status = (more: object) => ({
    [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => ({ ...waiting, ...more }),
  });
  const { stdout } = await runAgainst(status({}), ["status", EVENT]);
  expect(stdout).toContain("Waiting for  its turn\n");
  expect(stdout).toContain("Since        2026-11-21T09:30:00.123Z\n");
  const newer = await runAgainst(status({ waitingFor: "the_moon" }), [...["status", EVENT]]);
  expect(newer.stdout).toContain("Waiting for  the moon\n");
});
