import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { checkAll } from "../../server/src/commands/doctor.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { Agent, type Answer } from "../support/agent.ts";
import { type ServerProcess, startTokend, TOKEND, tempDir } from "../support/processes.ts";

function start(folder: string): Promise<ServerProcess> {
  // A write beyond the limit must fail and not kill: the started program inherits the ignored signal.
  const command = ["sh", "-c", 'trap "" XFSZ; exec "$0" "$@"', ...TOKEND];
  const env = { DATA_DIR: folder, LOG_LEVEL: "info", MAX_LAUNCHES_PER_AGENT: "0" };
  return startTokend(command, folder, env);
}

async function health(server: ServerProcess) {
  const response = await fetch(`${server.url}/health`);
  return { status: response.status, body: (await response.json()) as { operatorMessage?: string } };
}

/** @returns what fails, as the doctor of the server's folder and port says it */
async function doctorFailures({ url }: ServerProcess, folder: string): Promise<string[]> {
  const env = { DATA_DIR: folder, PORT: new URL(url).port };
  const failures: string[] = [];
  for await (const { verdict, text } of checkAll(readConfig(env), env)) {
    if (verdict === "failure") failures.push(text);
  }
  return failures;
}

/** Waits until `/health` reports trouble, and checks what it tells the operator; reads need no disk. */
async function expectTrouble(server: ServerProcess, agent: Agent, message: unknown): Promise<void> {
  await until(async () => (await health(server)).status === 503);
  expect((await health(server)).body).toMatchObject({ ok: false, operatorMessage: message });
  expect((await agent.get("/api/v1/tokens/")).status).toBe(200);
}

function expectRefused({ status, body }: Answer): void {
  expect(status).toBe(500);
  expect(body).toMatchObject({ error: errorCodes.register_failed.text });
}

const untilWell = (server: ServerProcess) =>
  until(async () => (await health(server)).status === 200);

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await Bun.sleep(20);
}

/** @returns the tickers of all launches in the database, oldest first */
function stored(folder: string): string[] {
  using client = new Database(join(folder, "tokend.sqlite"));
  expect(client.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  const rows = client.query("select ticker from launches order by rowid").all();
  return (rows as { ticker: string }[]).map(({ ticker }) => ticker);
}

const limitFileSize = (pid: number, bytes: string) =>
  Bun.spawnSync(["prlimit", `--pid=${pid}`, `--fsize=${bytes}:`]).exitCode;

test.skipIf(findProgram("prlimit") === null)(
  "a server that may not write refuses launches with 500 until it may (needs prlimit)",
  async () => {
    using folder = tempDir();
    await using server = await start(folder.path);
    const agent = await Agent.signedIn(server);
    await untilWell(server);
    expect(limitFileSize(server.pid, "1")).toBe(0);

    expectRefused(await agent.launch({ ticker: "FULL" }));
    const message = expect.stringContaining("The database cannot be written; see");
    await expectTrouble(server, agent, message);
    expect(stored(folder.path)).toEqual([]);

    expect(limitFileSize(server.pid, "unlimited")).toBe(0);
    await untilWell(server);
    expect((await agent.launched("FULL")).status).toBe("success");
    expect(stored(folder.path)).toEqual(["FULL"]);
  },
);

/** Mounts a file system in memory on a folder. Needs root and a machine that permits it. */
function mount(folder: string, megabytes: number): boolean {
  const options = ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  return Bun.spawnSync(["mount", ...options]).exitCode === 0;
}

const unmount = (folder: string) => Bun.spawnSync(["umount", folder]);

const canMount = (() => {
  using folder = tempDir();
  const mounted = process.platform === "linux" && mount(folder.path, 1);
  if (mounted) unmount(folder.path);
  return mounted;
})();

test.skipIf(!canMount)(
  "a server on a full disk refuses launches with 500 until there is room (needs mount as root)",
  async () => {
    using folder = tempDir();
    mount(folder.path, 16);
    try {
      await using server = await start(folder.path);
      const agent = await Agent.signedIn(server);
      await untilWell(server);
      const filler = join(folder.path, "filler");
      Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler}`, "bs=4k"], { stderr: "ignore" });

      // Pages that SQLite has allocated already may still take some launches.
      const accepted: string[] = [];
      let refused: Answer | undefined;
      for (let i = 0; refused === undefined; i++) {
        const ticker = `FULL${i}`;
        const answer = await agent.launch({ ticker, description: "d".repeat(1000) });
        if (answer.status === 200) accepted.push(ticker);
        else refused = answer;
      }
      expectRefused(refused);
      const full = "The disk is full: free some space, and launches are accepted again";
      await expectTrouble(server, agent, full);
      expect(await doctorFailures(server, folder.path)).toEqual([
        `the disk of ${folder.path} is full: free some space`,
        full,
      ]);
      expect(stored(folder.path)).toEqual(accepted);

      unlinkSync(filler);
      await untilWell(server);
      expect((await agent.launch({ ticker: "ROOM" })).status).toBe(200);
      expect(stored(folder.path)).toEqual([...accepted, "ROOM"]);
    } finally {
      unmount(folder.path);
    }
  },
);

test("a server whose database another process locks refuses launches with 500 and still reads", async () => {
  using folder = tempDir();
  await using server = await start(folder.path);
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
    expectRefused(await agent.launch({ ticker: "HELD" }));
    const message = "The database is locked by another program: end that program";
    await expectTrouble(server, agent, message);
  } finally {
    holder.kill("SIGKILL");
    await holder.exited;
  }
  await untilWell(server);
  expect((await agent.launched("HELD")).status).toBe("success");
  expect(stored(folder.path)).toEqual(["HELD"]);
});
