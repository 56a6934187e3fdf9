import { chownSync, existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Timeouts } from "../store/postgres/connection.ts";
import { noteMissing } from "./find-program.ts";
import { heldPort } from "./held-port.ts";

/** For a test that is not about time: a hundred times what a machine without other work needs. */
export const PATIENT: Timeouts = { connectMs: 300_000, statementMs: 300_000, queryMs: 300_000 };

const DEBIAN_VERSIONS = "/usr/lib/postgresql";
const USER = "tokend";
/** A connection needs it, as in production. */
const PASSWORD = "only-for-tests";
const PROGRAM_ENV = { PATH: process.env.PATH ?? "", LC_ALL: "C", PGPASSWORD: PASSWORD };
const READY = "database system is ready to accept";
const LOG_CHARACTERS = 200_000;
const STOP_SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT" } as const;
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  logging_collector: "off",
  lc_messages: "C",
  // The databases of tests do not live long enough for it to help them.
  autovacuum: "off",
};
/** Right as long as the machine itself does not stop, and several times faster. */
const NO_FSYNC = { fsync: "off", full_page_writes: "off" };

/** Finds the folder of PostgreSQL's programs: on the PATH, otherwise Debian's newest version. */
function findPostgres(): string | null {
  const folders = (process.env.PATH ?? "").split(":").filter(Boolean);
  if (existsSync(DEBIAN_VERSIONS)) {
    const versions = readdirSync(DEBIAN_VERSIONS).sort((a, b) => Number(b) - Number(a));
    folders.push(...versions.map((version) => join(DEBIAN_VERSIONS, version, "bin")));
  }
  const complete = (folder: string) =>
    ["postgres", "initdb", "createdb"].every((program) => existsSync(join(folder, program)));
  return folders.find(complete) ?? null;
}

/** The folder of PostgreSQL's programs; null if this machine has none. */
export const POSTGRES_PROGRAMS = findPostgres();
if (POSTGRES_PROGRAMS === null) noteMissing("postgres");

export interface PostgresOptions {
  /** Whether a commit waits for the disk; false by default, which is faster. */
  readonly fsync?: boolean;
  /** More settings, as in `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly onLog?: (text: string) => void;
  /** Fills the empty folder of the data; `initdb` by default. */
  readonly fill?: (instance: { readonly run: Run }, data: string) => Promise<void>;
}

/** Runs a program of PostgreSQL. Returns its stdout; throws with stderr's text if it fails. */
type Run = (program: string, ...args: string[]) => Promise<string>;

export type TestDatabases = ReturnType<typeof databasesOf>;
export type TestPostgres = Awaited<ReturnType<typeof startPostgres>>;

/** Starts a PostgreSQL of a test's own, on a free loopback port, with its data in a temporary folder. */
export async function startPostgres(options: PostgresOptions = {}) {
  const programs = POSTGRES_PROGRAMS;
  if (!programs) throw new Error("no PostgreSQL here: apt-get install postgresql");
  const root = mkdtempSync(join(tmpdir(), "tokend-postgres-"));
  const keeper = removeAtExit(root);
  const user = ownerOf(root);
  const data = join(root, "data");
  const settings = { ...(options.fsync ? {} : NO_FSYNC), ...options.settings };
  let port = 0;
  let log = "";
  let running: { readonly pid: number; readonly exited: Promise<number> } | null = null;

  const run: Run = (program, ...args) =>
    runProgram([...user, join(programs, program), ...args], root, port);

  const start = async () => {
    if (running) throw new Error("PostgreSQL runs already");
    const flags = Object.entries({ ...SETTINGS, ...settings }).map(([key, v]) => `-c${key}=${v}`);
    // If the test process is killed, the kernel stops PostgreSQL.
    const command = [...user, "setpriv", "--pdeathsig", "QUIT", join(programs, "postgres")];
    const child = Bun.spawn([...command, "-D", data, `-p${port}`, ...flags], {
      cwd: root,
      env: PROGRAM_ENV,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    running = child;
    child.unref();
    const ready = Promise.withResolvers<void>();
    const logged = log.length;
    void (async () => {
      const decoder = new TextDecoder();
      let fresh = "";
      for await (const chunk of child.stderr) {
        const text = decoder.decode(chunk, { stream: true });
        options.onLog?.(text);
        log = (log + text).slice(-LOG_CHARACTERS);
        fresh = (fresh + text).slice(-LOG_CHARACTERS);
        if (fresh.includes(READY)) ready.resolve();
      }
      running = null;
      ready.reject(new Error(`PostgreSQL ended before it was ready: ${log.slice(logged) || log}`));
    })();
    await ready.promise;
  };

  const stop = async (mode: "fast" | "immediate") => {
    const child = running;
    if (!child) return;
    process.kill(child.pid, STOP_SIGNALS[mode]);
    await child.exited;
    running = null;
  };

  const dispose = async () => {
    await stop("immediate");
    await keeper.remove();
  };

  try {
    await (options.fill ?? initialise)({ run }, data);
    port = await heldPort();
    await start();
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    port,
    data,
    /** The postmaster's process id; null while it is stopped. */
    get pid() {
      return running?.pid ?? null;
    },
    ...databasesOf(run, () => port),
    /** `fast` ends its connections and syncs, `immediate` leaves recovery to the next start. */
    stop,
    /** Starts it again on the same port and data, and waits until it accepts connections. */
    start,
    [Symbol.asyncDispose]: dispose,
  };
}

/** @param port of the instance; 0 if the program needs none */
async function runProgram(command: readonly string[], cwd: string, port: number): Promise<string> {
  const instance = { PGHOST: "127.0.0.1", PGPORT: `${port}`, PGUSER: USER };
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...PROGRAM_ENV, ...(port !== 0 && instance) },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")} failed (${exitCode}): ${stderr}`);
  return stdout;
}

async function onInstance(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

function databasesOf(run: Run, port: () => number) {
  /** The URL of a database. */
  const url = (database = "postgres") =>
    `postgres://${USER}:${PASSWORD}@127.0.0.1:${port()}/${database}`;
  const nameOf = (database: string) => new URL(database).pathname.slice(1);
  return {
    run,
    url,
    /** Returns the URL. @param template the URL of a database without connections, to copy */
    async createDatabase(template?: string) {
      // Tests of several processes may share the instance.
      const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
      await onInstance(url(), async (client) => {
        const { rows } = await client.query("show server_version_num");
        // By way of the log, the default from version 15 on, it takes six times as long.
        const copy = Number(rows[0].server_version_num) >= 150_000 ? "strategy file_copy" : "";
        const from = template ? nameOf(template) : "template1";
        await client.query(`create database ${name} template ${from} ${copy}`);
      });
      return url(name);
    },
    async dropDatabase(database: string) {
      const statement = `drop database ${nameOf(database)} with (force)`;
      await onInstance(url(), async (client) => void (await client.query(statement)));
    },
  };
}

/**
 * The data of a new instance. From version 15 it sorts by a language's rules, as most databases.
 * `TEST_POSTGRES_DATA` names such a folder: to copy it takes a tenth of the time.
 */
export async function initialise({ run }: { readonly run: Run }, data: string): Promise<void> {
  const made = process.env.TEST_POSTGRES_DATA;
  if (made !== undefined) {
    await runProgram(["cp", "-a", made, data], tmpdir(), 0);
    return;
  }
  const password = join(data, "..", "password");
  writeFileSync(password, PASSWORD);
  const version = Number(/\d+/.exec(await run("initdb", "--version"))?.[0]);
  const language = version < 15 ? [] : ["--locale-provider=icu", "--icu-locale=en-US"];
  const sorting = ["--encoding=UTF8", "--locale=C", ...language];
  const access = [`--username=${USER}`, `--pwfile=${password}`, "--auth=scram-sha-256"];
  await run("initdb", "--no-sync", `--pgdata=${data}`, ...sorting, ...access);
}

/** @returns the command that runs another as the folder's owner: PostgreSQL refuses root */
function ownerOf(folder: string): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const id = (flag: string) => Number(Bun.spawnSync(["id", flag, "postgres"]).stdout.toString());
  const [uid, gid] = [id("-u"), id("-g")];
  chownSync(folder, uid, gid);
  return ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
}

/** Removes a folder when this process ends, even if it is killed: the pipe to `sh` closes. */
export function removeAtExit(folder: string): { remove(): Promise<void> } {
  const script = 'trap "" INT TERM HUP; read -r _; until rm -rf -- "$1"; do sleep 0.1; done';
  const keeper = Bun.spawn(["sh", "-c", script, "sh", folder], {
    cwd: tmpdir(),
    stdin: "pipe",
    stdout: "ignore",
    stderr: "ignore",
  });
  keeper.unref();
  return {
    remove: async () => {
      await keeper.stdin.end();
      await keeper.exited;
    },
  };
}

let shared: Promise<TestPostgres> | null = null;

/**
 * The instance that tests share, each with databases of its own: that of `bun run test`, whose port
 * `TEST_POSTGRES_PORT` names, otherwise one of this process, which the first call starts.
 */
export async function sharedPostgres(): Promise<TestDatabases> {
  const port = Number(process.env.TEST_POSTGRES_PORT ?? 0);
  const programs = POSTGRES_PROGRAMS;
  if (port !== 0 && programs) {
    const run: Run = (program, ...args) =>
      runProgram([join(programs, program), ...args], tmpdir(), port);
    return databasesOf(run, () => port);
  }
  // If a test runs into its time limit, Bun kills all processes that this one has started.
  if (shared && (await shared).pid === null) shared = null;
  shared ??= startPostgres();
  return await shared;
}
