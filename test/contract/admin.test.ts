import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { dataFiles } from "../../server/src/config/config.ts";
import { admin, adminJson } from "../support/admin.ts";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { tempDir } from "../support/processes.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const nameOfUser = () => Bun.spawnSync(["id", "-un"]).stdout.toString().trim();

const address = () => Keypair.generate().publicKey.toBase58();

const SETTINGS = { ADMISSION: "invite", MAX_LAUNCHES_PER_HOUR: "50" };

describe("tokend admin", () => {
  let server: TestServer;
  let dir: string;
  beforeAll(async () => {
    server = await startTestServer(SETTINGS);
    dir = server.config.dataDir;
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  /** An agent that may launch. */
  async function invited(): Promise<Agent> {
    const { invites } = await adminJson(dir, "invites", "create");
    const agent = await Agent.signedIn(server);
    expect(await agent.post("/api/v1/invites/redeem", { code: invites[0].code })).toMatchObject({
      status: 200,
      body: { success: true, wasInvited: false },
    });
    return agent;
  }

  test("talks over a socket that only the server's user can open", () => {
    const { mode } = statSync(join(dir, "admin.sock"));
    expect((mode & 0o777).toString(8)).toBe("600");
  });

  test("status shows queue, wallet, chain, rates, pauses and servers", async () => {
    const agent = await invited();
    await agent.launched("STATUS");
    expect(await adminJson(dir, "status")).toMatchObject({
      database: "sqlite",
      chain: { name: "local", ok: true, config: null, lamportsPerByte: 6_960 },
      wallet: { balanceSOL: expect.any(Number), maxDailySpendSOL: null },
      queue: { depth: 0, oldestQueuedAt: null, limit: 10_000 },
      rates: { agentsOfHour: 1, maxAgentsOfHour: 50 },
      admission: { mode: "invite", minAgentSOL: 0 },
      pauses: {},
      servers: [{ pid: process.pid, isUpToDate: true }],
    });
    const text = await admin(dir, "status");
    expect(text).toMatch(/^rates.maxAgentsOfHour +50$/m);
    expect(text).toMatch(/^health.ok +true$/m);
    expect(text).toMatch(/^servers.0.startedAt +2026-03-01T/m);
  });

  test("launches and launch show attempts, signatures and reasons", async () => {
    const agent = await invited();
    const { eventId, tokenMint } = await agent.launched("SHOWN");
    const which = ["--status", "success", "--wallet", agent.wallet];
    const { launches } = await adminJson(dir, "launches", ...which);
    expect(launches).toMatchObject([{ eventId, ticker: "SHOWN", tokenMint }]);
    expect(await adminJson(dir, "launches", "--wallet", address())).toEqual({ launches: [] });
    const launch = await adminJson(dir, "launch", eventId);
    expect(launch).toMatchObject({ eventId, attempts: 1, error: null });
    expect(await admin(dir, "launch", eventId)).toMatch(RegExp(`signature +${launch.signature}`));
    expect(await admin(dir, "launches", "--limit", "1")).toContain(eventId);
    await expect(admin(dir, "launch", "unknown")).rejects.toThrow("There is no launch unknown");
  });

  test("block and unblock, allow and disallow decide about a wallet", async () => {
    const agent = await Agent.signedIn(server);
    const refused = async (code: string) =>
      expect((await agent.launch({ ticker: "RULES" })).body).toMatchObject({ code });
    await refused("invite_required");
    await admin(dir, "allow", agent.wallet, "--reason", "a friend");
    await admin(dir, "block", agent.wallet, "--reason", "spam");
    await refused("wallet_blocked");
    await expect(admin(dir, "block", agent.wallet)).rejects.toThrow("already on the block list");
    await admin(dir, "block", agent.wallet, "--reason", "spam of 1 March");
    const { entries } = await adminJson(dir, "audit", "--limit", "2");
    const actor = expect.stringMatching(
      new RegExp(`^uid ${process.getuid?.()} \\(${nameOfUser()}[,)]`),
    ) as unknown;
    const at = expect.any(Number) as unknown;
    expect(entries).toMatchObject([
      { action: "block", detail: "already on the block list", reason: "spam of 1 March", actor },
      { action: "block", detail: null, reason: "spam", at },
    ]);
    expect(await admin(dir, "audit", "--limit", "1")).toContain("spam of 1 March");
    await admin(dir, "unblock", agent.wallet);
    expect((await agent.launch({ ticker: "RULES" })).status).toBe(200);
    await admin(dir, "disallow", agent.wallet);
    await expect(admin(dir, "allow", "no address")).rejects.toThrow("not a base58 wallet address");
  });

  test("invites are made, listed, counted and revoked; their codes are shown once", async () => {
    const made = await adminJson(
      ...([dir, "invites", "create", "--count", "2", "--uses", "3"] as const),
      ...(["--note", "for friends", "--expires-in-days", "1"] as const),
    );
    const [first, second] = made.invites;
    expect(first.code).toMatch(/^(?:[2-9A-HJ-NP-Z]{4}-){4}[2-9A-HJ-NP-Z]{4}$/);
    expect(first.code).not.toBe(second.code);
    const agent = await Agent.signedIn(server);
    await agent.post("/api/v1/invites/redeem", { code: first.code });
    await agent.accepted("INVITED");
    const text = await admin(dir, "invites", "list");
    expect(text).toContain("1 of 3");
    expect(text).not.toContain(first.code);
    await admin(dir, "invites", "revoke", String(second.id), "--reason", "leaked");
    await expect(admin(dir, "invites", "revoke", String(second.id))).rejects.toThrow(
      "revoked before",
    );
    expect(await admin(dir, "audit")).not.toContain(first.code);
  });

  test("pause answers 503 with the reason until resume, and nothing waits for it to be forgotten", async () => {
    const agent = await invited();
    const accepted = await agent.launched("BEFORE");
    await admin(dir, "pause", "launches", "--reason", "new keys until noon");
    await admin(dir, "pause", "claims", "--reason", "the chain is slow");
    await admin(dir, "pause", "sign-ins", "--reason", "moving");
    const health = await fetch(`${server.url}/health`);
    const message =
      "Launches are paused: new keys until noon; Claims are paused: the chain is slow; Sign-ins are paused: moving";
    expect(await health.json()).toMatchObject({ ok: true, message });
    expect((await adminJson(dir, "status")).health).toEqual({ ok: true, message });
    const body = (what: string, reason: string) => ({
      status: 503,
      body: { error: `${what} are paused: ${reason}`, code: "paused" },
    });
    expect(await agent.launch({ ticker: "DURING" })).toMatchObject(
      body("Launches", "new keys until noon"),
    );
    expect(await agent.post(`/api/v1/tokens/claims/${accepted.tokenMint}`)).toMatchObject(
      body("Claims", "the chain is slow"),
    );
    expect(
      await new Agent(server).post("/api/auth/challenge", { wallet: agent.wallet }),
    ).toMatchObject(body("Sign-ins", "moving"));
    expect((await agent.get("/api/v1/tokens/claims")).status).toBe(200);
    await server.restart();
    expect(await admin(dir, "status")).toMatch(/^pauses.launches +new keys until noon$/m);
    for (const what of ["launches", "claims", "sign-ins"]) await admin(dir, "resume", what);
    await agent.signIn();
    expect((await agent.launch({ ticker: "DURING" })).status).toBe(200);
    await expect(admin(dir, "resume", "claims")).rejects.toThrow("claims are not paused");
    await expect(admin(dir, "pause", "claims")).rejects.toThrow("give one");
    const unstorable = await fetch("http://tokend", {
      unix: join(dir, "admin.sock"),
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ command: "pause", what: "claims", actor: "me", reason: "a\0b" }),
    });
    expect([unstorable.status, await unstorable.json()]).toEqual([
      400,
      { error: "reason: Expected union value" },
    ]);
  });

  test("retry puts a launch that ended back in the queue", async () => {
    const agent = await invited();
    await agent.launched("FIRST");
    const eventId = await agent.accepted("SECOND");
    expect((await agent.untilEnded(eventId)).status).toBe("rate_limited");
    server.clock.advance(86_400_000);
    await admin(dir, "retry", eventId, "--reason", "asked by mail");
    await agent.signIn();
    expect((await agent.untilEnded(eventId)).status).toBe("success");
    await expect(admin(dir, "retry", eventId)).rejects.toThrow("The launch is success");
  });

  test("retry takes no ticker that another agent's launch still keeps", async () => {
    await using keeping = await startTestServer({ TICKER_HOLD_HOURS: "72" });
    const [agent, other] = [await Agent.signedIn(keeping), await Agent.signedIn(keeping)];
    const cancelled = await other.accepted("WANTED", { payer: "agent" });
    expect((await other.post(`/api/v1/tokens/launch/${cancelled}/cancel`)).status).toBe(200);
    await agent.launched("FIRST");
    expect((await agent.launched("WANTED")).status).toBe("rate_limited");
    const retry = () => admin(keeping.config.dataDir, "retry", cancelled);
    keeping.clock.advance(71 * 3_600_000);
    await expect(retry()).rejects.toThrow("ticker_taken");
    keeping.clock.advance(3_600_000);
    await retry();
  });

  test("cancel shows the launches that wait, ends those that were named and frees their tickers", async () => {
    using folder = tempDir();
    // Its cluster cannot be reached, so launches wait.
    await using waiting = await startTestServer({
      ...clusterSettings(folder.path).env,
      TRUST_PROXY: "true",
      ADDRESS_SHARE: "0",
      MAX_DAILY_SPEND_SOL: "10",
    });
    const { dataDir } = waiting.config;
    const [one, other] = [await Agent.signedIn(waiting), await Agent.signedIn(waiting)];
    const launchFrom = (agent: Agent, ticker: string, from: string) =>
      agent.accepted(ticker, {}, { "x-forwarded-for": from });
    const attacks = [
      await launchFrom(one, "NEAR1", "2001:db8:0:1::1"),
      await launchFrom(other, "NEAR2", "2001:db8:0:2::1"),
    ];
    const far = await launchFrom(one, "FAR", "192.0.2.1");
    // Unmeasured, a launch counts for 0.03 SOL.
    expect((await adminJson(dataDir, "status")).wallet).toMatchObject({ committedSOL: 0.09 });

    await expect(admin(dataDir, "cancel")).rejects.toThrow("Say which launches");
    await expect(admin(dataDir, "cancel", "--network", "2001:db8::9")).rejects.toThrow(
      "Cancel 2 launches? Nothing was cancelled: repeat it with --yes",
    );
    await expect(admin(dataDir, "cancel", "--network", "nearby")).rejects.toThrow("IP address");
    for (const command of ["cancel", "launches"])
      await expect(admin(dataDir, command, "--wallet", "me")).rejects.toThrow("me is not");
    expect((await one.status(attacks[0] ?? "")).status).toBe("pending");
    const why = ["--reason", "one network", "--yes"];
    expect(await adminJson(dataDir, "cancel", "--network", "2001:db8:0::/48", ...why)).toEqual({
      cancelled: 2,
    });
    expect(await one.status(attacks[0] ?? "")).toMatchObject({
      status: "failed",
      error: "Cancelled by the service's operator: one network",
    });
    expect((await one.status(far)).status).toBe("pending");
    await launchFrom(other, "NEAR1", "198.51.100.1");
    expect(await adminJson(dataDir, "cancel", "--network", "2001:db8::9", "--yes")).toEqual({
      cancelled: 0,
    });
    expect(await admin(dataDir, "cancel", "--wallet", other.wallet, "--yes")).toBe(
      "1 launches are cancelled",
    );
    const { entries } = await adminJson(dataDir, "audit");
    expect(entries).toMatchObject([
      { action: "cancel", subject: `wallet ${other.wallet}`, detail: "1 launches" },
      { action: "cancel", subject: "network 2001:db8:0::/48", reason: "one network" },
    ]);
  });

  test("cancel ends as many launches as it shows, however many wait", async () => {
    using folder = tempDir();
    const settings = { ...clusterSettings(folder.path).env, TRUST_PROXY: "true" };
    await using waiting = await startTestServer(settings);
    const { dataDir } = waiting.config;
    const agent = await Agent.signedIn(waiting);
    const first = await agent.accepted("FIRST", {}, { "x-forwarded-for": "192.0.2.1" });
    using database = new Database(dataFiles(dataDir).database);
    const others = database
      .query<{ name: string }, []>("select name from pragma_table_info('launches')")
      .all()
      .filter(({ name }) => !["seq", "event_id", "ticker", "wallet"].includes(name))
      .map(({ name }) => `"${name}"`)
      .join();
    database.run(`with recursive numbers(n) as (
        select 1 union all select n + 1 from numbers where n < 10000)
      insert into launches (event_id, ticker, wallet, ${others})
      select format('00000000-0000-4000-8000-%012d', n), 'T' || n, n, ${others}
        from launches, numbers`);
    const cancel = ["cancel", "--network", "192.0.2.1"];
    await expect(admin(dataDir, ...cancel)).rejects.toThrow("Cancel 10000 launches?");
    expect(await admin(dataDir, ...cancel, "--yes")).toBe(
      "10000 launches are cancelled; repeat it for the rest",
    );
    expect((await agent.status(first)).status).toBe("pending");
    expect(await admin(dataDir, ...cancel, "--yes")).toBe("1 launches are cancelled");
  });

  test("a socket that a killed server left is replaced, and one that stops takes its own away", async () => {
    await using other = await startTestServer();
    const socket = join(other.config.dataDir, "admin.sock");
    await other.restart();
    expect(readdirSync(other.config.dataDir)).toContain("admin.sock");
    expect((await adminJson(other.config.dataDir, "status")).servers).toHaveLength(1);
    await other.stop();
    expect(readdirSync(other.config.dataDir)).not.toContain("admin.sock");
    writeFileSync(socket, "left behind");
    await expect(admin(other.config.dataDir, "status")).rejects.toThrow("No server runs on");
    await other.restart();
    expect((await adminJson(other.config.dataDir, "status")).queue.depth).toBe(0);
  });
});
