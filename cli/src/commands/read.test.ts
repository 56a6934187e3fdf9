import { expect, test } from "bun:test";
import type { ClaimRecord, Token } from "@tokenctl/sdk";
import { type Handler, refuseWith, runAgainst, serveApi } from "../testing/api.ts";
import { run } from "../testing/cli.ts";
import { claimRecord, MINT, POOL, tokenRecord } from "../testing/records.ts";

const token: Token = tokenRecord({
  poolAddress: POOL,
  ticker: "WIF",
  tokenName: "dog wif hat",
  deployedAt: "2026-11-21T09:30:00.123Z",
});
const fees: ClaimRecord = {
  ...claimRecord("WIF", MINT, 0.0123),
  dbcTotalFees: 0.5123,
  dbcClaimedFees: 0.5,
};

/** Returns what a successful command prints with and without `--json`. */
async function printed(routes: Record<string, Handler>, ...args: string[]) {
  const human = await runAgainst(routes, args);
  expect(human).toMatchObject({ stderr: "", exitCode: 0 });
  const json = await runAgainst(routes, [...args, "--json"]);
  expect(json).toMatchObject({ stderr: "", exitCode: 0 });
  return { text: human.stdout, data: JSON.parse(json.stdout) };
}

test("tokens prints a table, or with --json the contract's list", async () => {
  const claimed = {
    ...token,
    ticker: "LONGTICKER",
    tokenName: "a name that is longer than a table has room for",
    claimedAt: "2026-11-21T10:00:59.999Z",
  };
  const list = { tokens: [claimed, token] };
  const { text, data } = await printed({ "GET /api/v1/tokens/": () => list }, "tokens");
  expect(data).toEqual(list);
  expect(text).toBe(
    [
      "TICKER      NAME                                             MINT                                          DEPLOYED              CLAIMED",
      `LONGTICKER  a name that is longer than a table has room for  ${MINT}  2026-11-21 09:30:00Z  2026-11-21 10:00:59Z`,
      `WIF         dog wif hat                                      ${MINT}  2026-11-21 09:30:00Z  never`,
      "",
    ].join("\n"),
  );
});

test("token prints one record with the whole name", async () => {
  const claimed = { ...token, claimedAt: token.deployedAt, claimedToAddress: POOL };
  const { text, data } = await printed(
    { [`GET /api/v1/tokens/${MINT}`]: () => claimed },
    "token",
    MINT,
  );
  expect(data).toEqual(claimed);
  expect(text).toBe(
    [
      "Ticker      WIF",
      "Name        dog wif hat",
      `Mint        ${MINT}`,
      `Pool        ${POOL}`,
      "Deployed    2026-11-21T09:30:00.123Z",
      "Claimed     2026-11-21T09:30:00.123Z",
      `Claimed to  ${POOL}`,
      "",
    ].join("\n"),
  );
});

test("fees prints amounts in SOL with aligned points, and their totals", async () => {
  const migrated = {
    ...fees,
    ticker: "BONK",
    isMigrated: true,
    lpClaimableFees: 2,
    lpTotalFees: 2.000000001,
    lpClaimedFees: 1e-9,
  };
  const list = { claims: [migrated, fees] };
  const { text, data } = await printed({ "GET /api/v1/tokens/claims": () => list }, "fees");
  expect(data).toEqual(list);
  expect(text).toBe(
    [
      "TICKER  MINT                                          TRADES ON  CLAIMABLE (CURVE)  CLAIMABLE (POOL)          CLAIMED           EARNED",
      `BONK    ${MINT}  pool              0.0123 SOL             2 SOL  0.500000001 SOL  2.512300001 SOL`,
      `WIF     ${MINT}  curve             0.0123 SOL             0 SOL  0.500000000 SOL  0.512300000 SOL`,
      "Total                                                                   0.0246 SOL             2 SOL  1.000000001 SOL  3.024600001 SOL",
      "",
    ].join("\n"),
  );
});

test("fees warns of a token that cannot be read, and lists the others", async () => {
  const unreadable = [{ tokenMint: POOL, ticker: "GONE", error: "The pool was not found" }];
  for (const [claims, shown] of [
    [[fees], "0.0123 SOL"],
    [[], "No fees can be read."],
  ] as const) {
    const routes = { "GET /api/v1/tokens/claims": () => ({ claims, unreadable }) };
    const human = await runAgainst(routes, ["fees"]);
    expect(human.exitCode).toBe(0);
    expect(human.stdout).toContain(shown);
    expect(human.stderr).toBe(
      `warning: The fees of GONE (${POOL}) cannot be read: The pool was not found\n`,
    );
    const json = await runAgainst(routes, ["fees", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({ claims, unreadable });
  }
});

test("fees warns of what the wallet changed without the service", async () => {
  const changed = {
    ...fees,
    claimedElsewhere: 0.25,
    creatorChanged: { dbcHolder: POOL, lpHolder: null },
  };
  const routes = { "GET /api/v1/tokens/claims": () => ({ claims: [changed] }) };
  expect((await runAgainst(routes, ["fees"])).stderr).toBe(
    [
      `warning: WIF: the fees of the bonding curve now belong to ${POOL}`,
      "warning: WIF: the fees of the liquidity pool now belong to the holder of the position that this wallet had",
      "warning: WIF: 0.25 SOL was claimed without this service",
      "",
    ].join("\n"),
  );
});

test("login prints the wallet, the server and the lifetime, but not the token", async () => {
  const { stdout, stderr, exitCode, url, address } = await runAgainst({}, ["login"]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toBe(`Wallet   ${address}\nServer   ${url}\nSession  valid for 15 min\n`);
  const health = () => ({ ok: true, db: "connected", timestamp: "now", network: "testnet" });
  const named = await runAgainst({ "GET /health": health }, ["login"]);
  expect(named.stdout).toContain("Network  testnet\n");
  const json = await runAgainst({}, ["login", "--json"]);
  expect(JSON.parse(json.stdout)).toEqual({
    wallet: json.address,
    apiUrl: json.url,
    expiresInSeconds: 900,
  });
});

test("login --show-token prints only the token", async () => {
  const { stdout } = await runAgainst({}, ["login", "--show-token"]);
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const json = await runAgainst({}, ["login", "--show-token", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ wallet: json.address, token: stdout.trim() });
});

test("a nonce that names no host is not signed", async () => {
  const routes = { "POST /api/auth/challenge": () => ({ nonce: "n".repeat(22) }) };
  const refused = await runAgainst(routes, ["login"]);
  expect(refused).toMatchObject({ exitCode: 3, stdout: "" });
  expect(refused.stderr).toContain("names no host: its nonce was not signed");
});

test("redeem says whether the invite was used up, and why it was refused", async () => {
  const route = "POST /api/v1/invites/redeem";
  const redeemed = { [route]: () => ({ success: true, wasInvited: false }) };
  const { text, data } = await printed(redeemed, "redeem", "K7QF-2MNP");
  expect(text).toMatch(/^Wallet {2}\w+\nInvite {2}redeemed\n$/);
  expect(data).toEqual({ wallet: expect.any(String), success: true, wasInvited: false });
  const refused = await runAgainst({ [route]: () => refuseWith("invite_invalid") }, [
    "redeem",
    "X",
  ]);
  expect(refused).toMatchObject({ exitCode: 1, stdout: "" });
  expect(refused.stderr).toStartWith("error: Invite code cannot be redeemed\n");
});

test("health needs no wallet", async () => {
  const well = {
    ok: true,
    db: "connected",
    timestamp: "2026-11-21T09:30:00.123Z",
    network: "devnet",
  };
  await using api = serveApi({ "GET /health": () => well });
  const { stdout, stderr, exitCode } = await run(["health", "--api-url", api.url]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toBe(
    "Server    ok\nDatabase  connected\nNetwork   devnet\nTime      2026-11-21T09:30:00.123Z\n",
  );
});

test("health exits with 6 if the server is unhealthy, and still prints its record", async () => {
  const ill = {
    ok: false,
    db: "connected",
    timestamp: "2026-11-21T09:30:00.123Z",
    message: "The launch wallet is empty: send it SOL",
  };
  const routes = { "GET /health": () => Response.json(ill, { status: 503 }) };
  const human = await runAgainst(routes, ["health"]);
  expect(human.exitCode).toBe(6);
  expect(human.stdout).toContain("Server    unhealthy\n");
  expect(human.stderr).toStartWith("error: The launch wallet is empty: send it SOL\n");
  const json = await runAgainst(routes, ["health", "--json"]);
  expect(JSON.parse(json.stdout)).toEqual(ill);
  expect(JSON.parse(json.stderr)).toMatchObject({ code: "unhealthy", exitCode: 6 });
});
