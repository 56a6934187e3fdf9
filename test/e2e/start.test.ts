import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ErrorBodySchema } from "@tokenctl/shared/contract/error";
import { HealthSchema } from "@tokenctl/shared/contract/service";
import { checkAll } from "../../server/src/commands/doctor.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { lockDataDirectory } from "../../server/src/data/directory.ts";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { expectShape } from "../support/agent.ts";
import { silentNode } from "../support/cluster-settings.ts";
import { ROOT, run, startTokend, TOKEND, tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";

setDefaultTimeout(300_000);

/** Starts a server, and returns once its start waits for the node. */
async function startSlowly(
  folder: string,
  node: ReturnType<typeof silentNode>,
  settings: Record<string, string> = {},
) {
  const port = await heldPort();
  const env = node.settings(folder);
  const ready = startTokend(TOKEND, folder, { ...env, ...settings, PORT: String(port) });
  // Otherwise a failed start would be reported later, as unhandled.
  ready.catch(() => {});
  await Promise.race([node.asked(), ready]);
  const ask = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { ready, ask };
}

test("a server that starts answers 503 to everything and says so, then serves", async () => {
  using folder = tempDir();
  using node = silentNode();
  const origin = "https://app.example";
  const { ready, ask } = await startSlowly(folder.path, node, { CORS_ORIGINS: origin });
  const text = "The service is starting";

  const health = await ask("/health");
  expect(health.status).toBe(503);
  expect(expectShape(HealthSchema, await health.json())).toEqual({
    ok: false,
    db: "disconnected",
    timestamp: expect.any(String),
    message: text,
    error: text,
    code: "starting",
  });
  const refused = [
    await ask("/api/v1/tokens/launch", { method: "POST", body: "{}" }),
    await ask("/api/auth/challenge", { method: "POST", body: "x".repeat(100_000) }),
    await ask("/api/v1/tokens/"),
    await ask("/openapi/json"),
    await ask("/health", { method: "POST" }),
  ];
  for (const { status, headers } of [health, ...refused]) {
    expect(status).toBe(503);
    expect(headers.get("retry-after")).toBe("1");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  }
  for (const answer of refused) {
    const body = expectShape(ErrorBodySchema, await answer.json());
    expect(body).toEqual({ error: text, code: "starting" });
  }

  // A page of an allowed origin hears it too.
  const page = await ask("/health", { headers: { origin } });
  expect(page.headers.get("access-control-allow-origin")).toBe(origin);
  const headers = { origin, "access-control-request-method": "POST" };
  expect((await ask("/api/auth/challenge", { method: "OPTIONS", headers })).status).toBe(204);
  const elsewhere = await ask("/health", { headers: { origin: "https://evil.example" } });
  expect(elsewhere.headers.get("access-control-allow-origin")).toBeNull();

  node.release();
  await using server = await ready;
  expect((await ask("/api/v1/tokens/")).status).toBe(401);
  expect(await (await ask("/health")).json()).toMatchObject({ db: "connected" });
  expect(server.output()).toContain("tokend listens");
});

test("SIGTERM ends a server that starts, with exit code 0, before it serves", async () => {
  using folder = tempDir();
  using node = silentNode();
  const env = node.settings(folder.path);
  const child = Bun.spawn([...TOKEND], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", ...env, PORT: "0" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  await node.asked();
  child.kill("SIGTERM");
  let output = "";
  for await (const chunk of child.stderr) {
    output += new TextDecoder().decode(chunk);
    if (output.includes('"msg":"stopping')) node.release();
  }
  expect(await child.exited).toBe(0);
  expect(output).toContain('"msg":"stopped"');
  expect(output).not.toContain("tokend listens");
  lockDataDirectory(join(folder.path, "data")).release();
});

test("a start with wrong settings ends with another exit code, so that systemd does not repeat it", async () => {
  using folder = tempDir();
  const { exitCode } = await run([...TOKEND, "serve"], folder.path, { PORT: "none" });
  expect(exitCode).toBe(78);
  const unit = await Bun.file(join(ROOT, "ops/systemd/tokend.service")).text();
  expect(unit).toContain(`RestartPreventExitStatus=${exitCode}`);
});

test("a start ends with exit code 1 and a remedy if its folder or its port is taken, and a health check finds the server there", async () => {
  using folder = tempDir();
  await using server = await startTokend(TOKEND, folder.path);
  const { port } = new URL(server.url);
  const again = async (env: Record<string, string>) => {
    const { exitCode, stdout, stderr } = await run([...TOKEND], folder.path, env);
    // Not for a terminal, so in a line of the log.
    const { level, msg } = JSON.parse(stderr) as Record<string, string>;
    return { exitCode, stdout, level, msg };
  };
  // A second start of the same server says so, and does not advise another port.
  expect(await again({ PORT: port, DATA_DIR: join(folder.path, "data") })).toEqual({
    exitCode: 1,
    stdout: "",
    level: "fatal",
    msg: `Another tokend is running on ${join(folder.path, "data")}. Stop it first, or give this one its own DATA_DIR.`,
  });
  expect(await again({ PORT: port, DATA_DIR: join(folder.path, "other") })).toEqual({
    exitCode: 1,
    stdout: "",
    level: "fatal",
    msg: `127.0.0.1:${port} is taken: another program listens there; stop it, or set PORT to another`,
  });
  // An address of documentation, which no machine has (RFC 5737).
  const elsewhere = { HOST: "203.0.113.9", ALLOW_REMOTE_SANDBOX: "true", PORT: port };
  expect(await again({ ...elsewhere, DATA_DIR: join(folder.path, "other") })).toMatchObject({
    exitCode: 1,
    msg: expect.stringContaining(`203.0.113.9:${port} cannot be listened on (EADDRNOTAVAIL): name`),
  });
  // Requests to this machine pass no proxy.
  using proxy = silentNode();
  const env = { PORT: port, HTTP_PROXY: proxy.url, no_proxy: "example.com" };
  expect(await run([...TOKEND, "healthcheck"], folder.path, env)).toMatchObject({ exitCode: 0 });
});

test("a start without its database is refused, unless the operator says that it is the first", async () => {
  using folder = tempDir();
  const dataDir = join(folder.path, "data");
  const here = { PORT: "0", DATA_DIR: dataDir };
  await (await startHere(here)).stop();
  const database = join(dataDir, "tokend.sqlite");
  truncateSync(database, 0);
  const loss = "database, and a start without it would forget all launches";
  await expect(startHere(here)).rejects.toThrow(loss);
  const findings = await Array.fromAsync(checkAll(readConfig(here), here));
  expect(findings.map(({ text }) => text).join()).toContain(loss);
  expect(statSync(database).size).toBe(0);
  const first = [...TOKEND, "serve", "--new-database"];
  expect(await (await startTokend(first, folder.path)).end("SIGTERM")).toBe(0);
  await (await startHere(here)).stop();
});

test("a start and a backup of a damaged database say that it is damaged, and what to do", async () => {
  using folder = tempDir();
  const dataDir = join(folder.path, "data");
  const here = { PORT: "0", DATA_DIR: dataDir };
  await (await startHere(here)).stop();
  writeFileSync(join(dataDir, "tokend.sqlite"), "a".repeat(8192));
  const says =
    "A database in DATA_DIR is damaged (file is not a database): restore a backup into an empty DATA_DIR (tokend restore <file>)";
  for (const args of [["serve"], ["backup", "copy.db"]]) {
    const { exitCode, stderr } = await run([...TOKEND, ...args], folder.path, here);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(says)]);
  }
  // A file that root has left in the folder cannot be opened either.
  rmSync(join(dataDir, "tokend.lock"));
  mkdirSync(join(dataDir, "tokend.lock"));
  const unopened = await run([...TOKEND, "serve"], folder.path, here);
  expect(unopened.stderr).toContain("give its files to this user (chown -R)");
  const findings = await Array.fromAsync(checkAll(readConfig(here), here));
  const advice = "file is not a database: restore a backup into an empty DATA_DIR";
  expect(findings.map(({ text }) => text).join()).toContain(advice);
});
