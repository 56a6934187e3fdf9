import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { checkAll } from "../../server/src/commands/doctor.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { Agent, type Answer } from "../support/agent.ts";
import { clockedTokend, startTokend, tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

/** Lets the server's time pass, if that is not its own. */
type Pass = () => void;

async function health({ url }: { readonly url: string }) {
  const response = await fetch(`${url}/health`);
  return { status: response.status, body: (await response.json()) as object };
}

/** Waits until the server has looked at its database again, and `/health` answers this. */
async function untilHealth(server: { readonly url: string }, status: number, pass: Pass) {
  for (; (await health(server)).status !== status; await Bun.sleep(20)) pass();
}

/** @returns the tickers of all launches in the database, oldest first */
function stored(folder: string): string[] {
  using client = new Database(join(folder, "tokend.sqlite"), { readonly: true });
  expect(client.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  const rows = client.query("select ticker from launches order by rowid").all();
  return (rows as { ticker: string }[]).map(({ ticker }) => ticker);
}

/** Launches until the database takes no more, and again after the trouble; reads need no disk. */
async function refusesInTrouble(
  { server, folder, pass }: { server: { readonly url: string }; folder: string; pass: Pass },
  trouble: { begin(): void; says: unknown; during?(): Promise<void>; end(): void },
): Promise<void> {
  const agent = await Agent.signedIn(server);
  await untilHealth(server, 200, pass);
  trouble.begin();
  // Pages that SQLite has allocated already may still take some launches on a full disk.
  const accepted: string[] = [];
  let refused: Answer | undefined;
  for (let i = 0; refused === undefined; i++) {
    const answer = await agent.launch({ ticker: `FULL${i}`, description: "d".repeat(1000) });
    if (answer.status === 200) accepted.push(`FULL${i}`);
    else refused = answer;
  }
  expect(refused.status).toBe(500);
  expect(refused.body).toMatchObject({ error: errorCodes.register_failed.text });
  await untilHealth(server, 503, pass);
  expect((await health(server)).body).toMatchObject({ ok: false, operatorMessage: trouble.says });
  expect((await agent.get("/api/v1/tokens/")).status).toBe(200);
  expect(stored(folder)).toEqual(accepted);
  await trouble.during?.();
  trouble.end();
  await untilHealth(server, 200, pass);
  expect((await agent.launch({ ticker: "ROOM" })).status).toBe(200);
  expect(stored(folder)).toEqual([...accepted, "ROOM"]);
}

const LIMITS = { MAX_LAUNCHES_PER_AGENT: "0" };

async function startHere(folder: string) {
  const server = await startTestServer({ DATA_DIR: folder, ...LIMITS });
  return { server, folder, pass: () => server.clock.advance(1_000) };
}

test.skipIf(findProgram("prlimit") === null)(
  "a server that may not write refuses launches with 500 until it may (needs prlimit)",
  async () => {
    using folder = tempDir();
    // A write beyond the limit must fail and not kill: the program inherits the ignored signal.
    const command = ["sh", "-c", 'trap "" XFSZ; exec "$0" "$@"', ...clockedTokend(10)];
    const env = { DATA_DIR: folder.path, ...LIMITS };
    await using server = await startTokend(command, folder.path, env);
    const limitFileSize = (bytes: string) => {
      const { exitCode } = Bun.spawnSync(["prlimit", `--pid=${server.pid}`, `--fsize=${bytes}:`]);
      expect(exitCode).toBe(0);
    };
    await refusesInTrouble(
      { server, folder: folder.path, pass: () => {} },
      {
        begin: () => limitFileSize("1"),
        says: expect.stringContaining("The database cannot be written; see"),
        end: () => limitFileSize("unlimited"),
      },
    );
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
    const filler = join(folder.path, "filler");
    const says = "The disk is full: free some space, and launches are accepted again";
    try {
      const at = await startHere(folder.path);
      await using server = at.server;
      await refusesInTrouble(at, {
        begin: () =>
          void Bun.spawnSync(["dd", "if=/dev/zero", `of=${filler}`, "bs=4k"], { stderr: "ignore" }),
        says,
        async during() {
          const env = { DATA_DIR: folder.path, PORT: new URL(server.url).port };
          const failures = [];
          for await (const { verdict, text } of checkAll(readConfig(env), env)) {
            if (verdict === "failure") failures.push(text);
          }
          expect(failures).toEqual([`the disk of ${folder.path} is full: free some space`, says]);
        },
        end: () => unlinkSync(filler),
      });
    } finally {
      unmount(folder.path);
    }
  },
);

test("a server whose database another program locks refuses launches with 500 and still reads", async () => {
  using folder = tempDir();
  const at = await startHere(folder.path);
  await using _ = at.server;
  using holder = new Database(join(folder.path, "tokend.sqlite"));
  await refusesInTrouble(at, {
    begin: () => holder.run("begin exclusive"),
    says: "The database is locked by another program: end that program",
    end: () => holder.run("rollback"),
  });
});
