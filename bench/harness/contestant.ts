import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { JWT_SECRET } from "./agents.ts";
import { dataFolder, repository } from "./paths.ts";

/** A server that is measured. */
export interface Contestant {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server that runs. */
export interface Running extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly dataDir: string;
  /** Resident memory in bytes. */
  rss(): number;
  /** Seconds of processor time that all its threads have used. */
  cpu(): number;
}

/** Writes the files that a tokend needs to start on a database with launches. */
function writeNeededFiles(dataDir: string, { env }: Contestant): void {
  writeFileSync(join(dataDir, "mint.secret"), "ab".repeat(32), { mode: 0o600 });
  // An empty file becomes a new chain.
  if (env.CHAIN !== "solana") writeFileSync(join(dataDir, "localnet.sqlite"), "");
}

/** How long a server may take to its first answer, in milliseconds. */
const START_MS = 30_000;

/**
 * Starts a server on a copy of a seeded database and waits until it answers.
 *
 * @param seed a database file
 * @throws {Error} if it ends or does not answer
 */
export async function start(contestant: Contestant, seed: string): Promise<Running> {
  mkdirSync(dataFolder, { recursive: true });
  const dataDir = mkdtempSync(join(dataFolder, "run-"));
  const database = join(dataDir, "tokend.sqlite");
  copyFileSync(seed, database, constants.COPYFILE_FICLONE);
  // Otherwise the first measured commit would also wait for the copy to be synced.
  sync(database);
  writeNeededFiles(dataDir, contestant);
  const port = await heldPort();
  const child = Bun.spawn([...contestant.command], {
    cwd: repository,
    env: {
      PATH: process.env.PATH ?? "",
      HOST: "127.0.0.1",
      PORT: String(port),
      DATABASE: database,
      DATA_DIR: dataDir,
      JWT_SECRET,
      ...contestant.env,
    },
    stdin: "ignore",
    stdout: "ignore",
    stderr: Bun.file(join(dataDir, "stderr.log")),
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill();
    await child.exited;
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await untilAnswered(url, child);
  } catch {
    const output = readFileSync(join(dataDir, "stderr.log"), "utf8");
    await stop();
    throw new Error(`${contestant.name} did not start: ${output.slice(0, 2000)}`);
  }
  return {
    name: contestant.name,
    url,
    dataDir,
    rss: () => residentBytes(child.pid),
    cpu: () => processorSeconds(child.pid),
    [Symbol.asyncDispose]: stop,
  };
}

async function untilAnswered(url: string, child: Bun.Subprocess): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    try {
      // A tokend that has not recovered yet answers, and does nothing more.
      const answer = await fetch(`${url}/health`);
      if (answer.status !== 503 || !(await answer.text()).includes('"starting"')) return;
    } catch {
      // It does not listen yet.
    }
    await Bun.sleep(20);
  }
  throw new Error("no answer");
}

function sync(path: string): void {
  const file = openSync(path, "r+");
  fsyncSync(file);
  closeSync(file);
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no memory`);
  return Number(kilobytes) * 1024;
}

/** Ticks per second of the times in `/proc` (`USER_HZ`), the same on every Linux. */
const TICKS = 100;

function processorSeconds(pid: number): number {
  // Of the fields after the name in brackets, the 12th and 13th are user and system time.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
