import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { errorTexts } from "@tokenctl/shared/errors";
import { Agent, type Answer } from "../support/agent.ts";
import { ROOT, type ServerProcess, startProcess, tempFolder } from "../support/processes.ts";

const MAIN = join(ROOT, "server/src/main.ts");

function startTokend(folder: string): Promise<ServerProcess> {
  // A write beyond the limit must fail, not kill: the signal stays ignored in what is started.
  const command = ["sh", "-c", 'trap "" XFSZ; exec "$0" "$@"', process.execPath, MAIN];
  return startProcess(command, {
    cwd: folder,
    env: { PORT: "0", DATA_DIR: folder, LOG_LEVEL: "info", MAX_LAUNCHES_PER_AGENT: "0" },
    ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
  });
}

async function health(server: ServerProcess) {
  const response = await fetch(`${server.url}/health`);
  return { status: response.status, body: (await response.json()) as { message?: string } };
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await Bun.sleep(20);
}

/** How many launches of these tickers are in the database. */
function stored(folder: string): string[] {
  using client = new Database(join(folder, "tokend.sqlite"));
  expect(client.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  const rows = client.query("select ticker from launches order by rowid").all();
  return (rows as { ticker: string }[]).map(({ ticker }) => ticker);
}

const limitFileSize = (pid: number, bytes: string) =>
  Bun.spawnSync(["prlimit", `--pid=${pid}`, `--fsize=${bytes}:`]).exitCode;

test("a disk without room: launches get 500, nothing is half-written, health tells, and all goes on", async () => {
  using folder = tempFolder();
  await using server = await startTokend(folder.path);
  const agent = await Agent.signedIn(server);
  await until(async () => (await health(server)).status === 200);
  expect(limitFileSize(server.pid, "1")).toBe(0);

  const refused = await agent.launch({ ticker: "FULL" });
  expect(refused.status).toBe(500);
  expect(refused.body).toMatchObject({ error: errorTexts.registerFailed });
  expect(await health(server)).toMatchObject({
    status: 503,
    body: { ok: false, message: "The database cannot be written; see the server's log" },
  });
  // What needs no disk goes on.
  expect((await agent.get("/api/v1/tokens/")).status).toBe(200);
  expect(stored(folder.path)).toEqual([]);

  expect(limitFileSize(server.pid, "unlimited")).toBe(0);
  await until(async () => (await health(server)).status === 200);
  expect((await agent.launched("FULL")).status).toBe("success");
  expect(stored(folder.path)).toEqual(["FULL"]);
}, 30_000);

/** Puts a file system of its own in memory on a folder. Needs root and a machine that lets it. */
function mount(folder: string, megabytes: number): boolean {
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  return Bun.spawnSync(["mount", ...options]).exitCode === 0;
}

const unmount = (folder: string) => Bun.spawnSync(["umount", folder]);

const canMount = (() => {
  using folder = tempFolder();
  const mounted = process.platform === "linux" && mount(folder.path, 1);
  if (mounted) unmount(folder.path);
  return mounted;
})();

test.skipIf(!canMount)(
  "a full disk: launches get 500, nothing is half-written, health tells, and all goes on",
  async () => {
    using folder = tempFolder();
    mount(folder.path, 16);
    try {
      await using server = await startTokend(folder.path);
      const agent = await Agent.signedIn(server);
      await until(async () => (await health(server)).status === 200);
      const filler = join(folder.path, "filler");
      Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler}`, "bs=4k"], { stderr: "ignore" });

      // What SQLite has allocated may still take some.
      const accepted: string[] = [];
      let refused: Answer | undefined;
      for (let i = 0; refused === undefined; i++) {
        const ticker = `FULL${i}`;
        const answer = await agent.launch({ ticker, description: "d".repeat(1000) });
        if (answer.status === 200) accepted.push(ticker);
        else refused = answer;
      }
      expect(refused.status).toBe(500);
      expect(refused.body).toMatchObject({ error: errorTexts.registerFailed });
      expect(await health(server)).toMatchObject({
        status: 503,
        body: { message: "The disk is full: free some space, and launches are accepted again" },
      });
      expect(stored(folder.path)).toEqual(accepted);

      unlinkSync(filler);
      await until(async () => (await health(server)).status === 200);
      expect((await agent.launch({ ticker: "ROOM" })).status).toBe(200);
      expect(stored(folder.path)).toEqual([...accepted, "ROOM"]);
    } finally {
      unmount(folder.path);
    }
  },
  60_000,
);

test("a database locked by another process: launches get 500, reads go on, and all goes on after", async () => {
  using folder = tempFolder();
  await using server = await startTokend(folder.path);
  const agent = await Agent.signedIn(server);
  const holder = Bun.spawn(
    [
      process.execPath,
      "-e",
      `const { Database } = require("bun:sqlite");
       globalThis.held = new Database(process.argv[1]);
       held.run("begin exclusive");
       console.log("held");
       setInterval(() => {}, 1000);`,
      join(folder.path, "tokend.sqlite"),
    ],
    { stdout: "pipe", stderr: "inherit" },
  );
  try {
    await holder.stdout.getReader().read();
    const refused = await agent.launch({ ticker: "HELD" });
    expect(refused.status).toBe(500);
    expect(refused.body).toMatchObject({ error: errorTexts.registerFailed });
    expect(await health(server)).toMatchObject({
      status: 503,
      body: { message: "The database is locked by another program: end that program" },
    });
    expect((await agent.get("/api/v1/tokens/")).status).toBe(200);
  } finally {
    holder.kill("SIGKILL");
    await holder.exited;
  }
  await until(async () => (await health(server)).status === 200);
  expect((await agent.launched("HELD")).status).toBe("success");
  expect(stored(folder.path)).toEqual(["HELD"]);
}, 30_000);
