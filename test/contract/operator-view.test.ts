import { afterAll, expect, test } from "bun:test";
import { admin, adminJson } from "../support/admin.ts";
import { Agent, send } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer();
const agent = await Agent.signedIn(server);
await agent.launched("SEEN");
afterAll(() => server[Symbol.asyncDispose]());

/** Makes a link. @returns its secret, which is in the URL's fragment */
async function secretOf(...flags: string[]): Promise<string> {
  const { link } = await adminJson(server.config.dataDir, "console-link", ...flags);
  const { pathname, search, hash } = new URL(link);
  expect([pathname, search]).toEqual(["/", ""]);
  return hash.replace("#/operator/", "");
}

const exchange = (secret: string) =>
  send(server.url, "POST", "/operator/session", { json: { secret } });

async function opened(...flags: string[]): Promise<string> {
  const { status, body } = await exchange(await secretOf(...flags));
  expect(status).toBe(200);
  return (body as { token: string }).token;
}

const read = (token?: string) => send(server.url, "GET", "/operator/status", { token });
const steer = (token: string, path: string, reason?: string) =>
  send(server.url, "POST", `/operator/${path}`, { token, json: reason && { reason } });

test("a link opens the operator's view once, within ten minutes", async () => {
  const secret = await secretOf();
  expect(secret).toMatch(/^[\w-]{43}$/);
  const first = await exchange(secret);
  expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const invalid = { status: 401, body: { code: "invalid_token" } };
  for (const other of [secret, "x".repeat(43)])
    expect(await exchange(other)).toMatchObject(invalid);
  expect(await exchange("")).toMatchObject({ status: 400 });
  const late = await secretOf();
  server.clock.advance(600_000);
  expect(await exchange(late)).toMatchObject(invalid);
  const { entries } = await adminJson(server.config.dataDir, "audit");
  expect(entries.slice(0, 3)).toMatchObject([
    { action: "console-link", subject: "viewer" },
    { action: "console-link opened", subject: "viewer" },
    { action: "console-link", subject: "viewer" },
  ]);
});

test("the view shows what tokend admin shows, hours and money, for 15 minutes", async () => {
  const token = await opened();
  const { status, headers, body } = await read(token);
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  const { hours, expiresAt, ...shown } = body as {
    hours: { success: number }[];
    expiresAt: number;
  };
  expect(shown).toMatchObject({
    ...{ mayControl: false, health: { ok: true }, queue: { depth: 0 }, pauses: {}, nodes: [] },
    wallet: { maxDailySpendSOL: null },
    money: { collectedSOL: 0, migrationsSOL: 0, collectingSOL: 0 },
  });
  expect(hours).toHaveLength(24);
  expect(hours.map(({ success }) => success).reduce((sum, n) => sum + n)).toBe(1);
  server.clock.advance(expiresAt - server.clock.now() - 1);
  expect((await read(token)).status).toBe(200);
  server.clock.advance(1);
  expect(await read(token)).toMatchObject({ status: 401, body: { code: "invalid_token" } });
});

test("nothing of it is reachable without its own token, and its token opens nothing else", async () => {
  await agent.signIn();
  const token = await opened("--control");
  expect(await read()).toMatchObject({ status: 401, body: { code: "missing_authorization" } });
  for (const other of [agent.token, `${token}x`]) {
    expect(await read(other)).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    expect((await steer(other, "pause/launches", "no")).status).toBe(401);
    expect((await steer(other, "resume/launches")).status).toBe(401);
  }
  for (const path of ["/api/v1/tokens/", "/api/v1/wallet", "/api/v1/tokens/claims"]) {
    const answer = await send(server.url, "GET", path, { token });
    expect(answer).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  }
  await using off = await startTestServer({ CONSOLE: "off" });
  for (const [method, path] of [
    ["GET", "/operator/status"],
    ["POST", "/operator/session"],
    ["POST", "/operator/pause/launches"],
  ] as const) {
    expect(await send(off.url, method, path, { token })).toMatchObject({ status: 404 });
  }
  await expect(admin(off.config.dataDir, "console-link")).rejects.toThrow("CONSOLE is off");
});

test("only a view that was made with --control pauses and resumes", async () => {
  const viewer = await opened();
  expect((await steer(viewer, "pause/launches", "no")).status).toBe(404);
  expect((await steer(viewer, "resume/launches")).status).toBe(404);
  const controller = await opened("--control");
  expect((await steer(controller, "pause/everything", "no")).status).toBe(404);
  expect((await steer(controller, "pause/launches")).status).toBe(400);
  expect((await steer(controller, "pause/launches", "new\0keys")).status).toBe(400);
  expect((await steer(controller, "pause/launches", "new keys")).status).toBe(200);
  expect((await read(viewer)).body).toMatchObject({ pauses: { launches: "new keys" } });
  expect(await agent.launch({ ticker: "HELD" })).toMatchObject({ status: 503 });
  for (const _ of ["once", "again"]) {
    expect((await steer(controller, "resume/launches")).status).toBe(200);
  }
  expect((await read(controller)).body).toMatchObject({ mayControl: true, pauses: {} });
  const { entries } = await adminJson(server.config.dataDir, "audit");
  expect(entries.slice(0, 2)).toMatchObject([
    { actor: "the operator's view", action: "resume", subject: "launches" },
    { actor: "the operator's view", action: "pause", reason: "new keys" },
  ]);
});
