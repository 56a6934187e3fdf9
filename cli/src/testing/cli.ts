import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import bs58 from "bs58";
import { generateKeypair } from "../../../server/src/base/native-keys.ts";
import { tempDir } from "../../../server/src/testing/temp-dir.ts";
import { SHORT_LIVED } from "../../../test/support/processes.ts";
import { main } from "../main.ts";
import type { World } from "../world.ts";

/** Hides the wallet, settings and launches of the person who runs the tests. */
const NOTHING = {
  TOKENCTL_KEYPAIR: "/nonexistent/id.json",
  XDG_CONFIG_HOME: "/dev/null",
  XDG_STATE_HOME: join(tmpdir(), `tokenctl-state-${process.pid}`),
};

export interface Finished {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Options of a run. By default stderr is no terminal and there is no keypair. */
export interface RunOptions {
  env?: Record<string, string>;
  terminal?: boolean;
  columns?: number;
  answer?: (prompt: string) => string;
  onInterruptible?: (interrupt: () => void) => void;
}

export async function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const finished = { stdout: "", stderr: "" };
  const world: World = {
    env: {
      ...NOTHING,
      NO_COLOR: "1",
      ...options.env,
    },
    out: {
      write(text) {
        finished.stdout += text;
        return true;
      },
      isTerminal: async () => options.columns !== undefined,
      columns: async () => options.columns ?? null,
    },
    err: {
      write(text) {
        finished.stderr += text;
        return true;
      },
      isTerminal: async () => options.terminal === true,
      columns: async () => (options.terminal ? (options.columns ?? 80) : null),
    },
    canAsk: async () => options.answer !== undefined,
    ask: async (prompt) => options.answer?.(prompt) ?? "",
    onInterrupt(listener) {
      options.onInterruptible?.(listener);
      return () => {};
    },
  };
  return { exitCode: await main(args, world), ...finished };
}

const built = process.env.BINARIES;

/** The command for `tokenctl`: the binary that `bun run test` compiled, otherwise the source. */
export const TOKENCTL: readonly string[] = built
  ? [join(built, "tokenctl")]
  : [process.execPath, join(import.meta.dir, "../bin.ts")];

export function spawn(args: readonly string[], env: Record<string, string> = {}) {
  return start(args, env, "ignore");
}

export function spawnPiped(args: readonly string[], env: Record<string, string> = {}) {
  return start(args, env, "pipe");
}

/** Starts a command whose output only `head` reads, for a line; its exit code comes on stderr. */
export function spawnForHead(args: readonly string[]) {
  const script = '{ "$@"; echo $? >&2; } | head -n 1';
  return Bun.spawn(["sh", "-c", script, "sh", ...TOKENCTL, ...args], {
    env: { PATH: process.env.PATH, ...SHORT_LIVED, ...NOTHING },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

function start<In extends "ignore" | "pipe">(
  args: readonly string[],
  env: Record<string, string>,
  stdin: In,
) {
  return Bun.spawn([...TOKENCTL, ...args], {
    env: { PATH: process.env.PATH, ...SHORT_LIVED, ...NOTHING, ...env },
    stdin,
    stdout: "pipe",
    stderr: "pipe",
  });
}

export async function finish(child: ReturnType<typeof spawn>): Promise<Finished> {
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, exitCode };
}

export { tempDir };

/** Creates a folder with a wallet's keypair file. Default: a new wallet. */
export function temporaryWallet(secretKey: Uint8Array = generateKeypair().secretKey) {
  const folder = tempDir();
  const keypair = join(folder.path, "id.json");
  writeFileSync(keypair, JSON.stringify([...secretKey]), { mode: 0o600 });
  return { ...folder, keypair, address: bs58.encode(secretKey.subarray(32)), secretKey };
}
