import { join } from "node:path";

export const ROOT = join(import.meta.dir, "..", "..");

export { tempDir } from "../../server/src/testing/temp-dir.ts";

/**
 * The folder of `tokend` and `tokenctl` if `bun run test` has compiled all programs: each start then
 * takes half of the time.
 */
export const BUILT = process.env.BINARIES;

/** The command that runs `tokend`: its binary, or without one its source. */
export const TOKEND: readonly string[] = BUILT
  ? [join(BUILT, "tokend")]
  : [process.execPath, join(ROOT, "server/src/main.ts")];

/** A `tokend` with a clock of its own: its source, and where `bun run test` compiles it to. */
export const CLOCKED = {
  source: join(ROOT, "test/chaos/clocked-tokend.ts"),
  binary: join(ROOT, "dist/test/clocked-tokend"),
};

/** The command that runs it. @param speed how many times faster than ours its clock runs */
export const clockedTokend = (speed: number, offsetMs = 0, leaseMs = 60_000): readonly string[] => [
  ...(BUILT ? [CLOCKED.binary] : [process.execPath, CLOCKED.source]),
  ...[speed, offsetMs, leaseMs].map(String),
];

/**
 * For Bun's programs of tests: memory that they free stays theirs, and is not taken before they need it.
 * To hand it back to the system and to get it again takes a quarter of the processor time of the workers
 * where page faults are slow, as on some virtual machines, and a twelfth elsewhere.
 */
export const KEEPS_MEMORY = {
  MIMALLOC_PURGE_DELAY: "-1",
  MIMALLOC_PURGE_HOLES: "0",
  BUN_JSC_useWarmUpMarkedBlocks: "false",
} as const;

/** For programs whose memory a test measures: they use it as they do for their users. */
export const MEASURED = {
  MIMALLOC_PURGE_DELAY: undefined,
  MIMALLOC_PURGE_HOLES: undefined,
  BUN_JSC_useWarmUpMarkedBlocks: undefined,
} satisfies Record<keyof typeof KEEPS_MEMORY, undefined>;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Programs of tests run for seconds. JavaScriptCore's optimising compiler would take a third of a
 * server's processor time, more than it gets back from it. A start takes a seventh less, and a command
 * of `tokenctl` a sixth, if less is compiled at all, and without a thread of its own.
 */
export const SHORT_LIVED = {
  ...KEEPS_MEMORY,
  BUN_JSC_useDFGJIT: "false",
  BUN_JSC_useConcurrentJIT: "false",
  BUN_JSC_thresholdForJITAfterWarmUp: "3000",
} as const;

/** Keeps nothing of the environment that could configure the programs by accident. */
function cleanEnv(env: Env): Record<string, string | undefined> {
  return { PATH: process.env.PATH ?? "", HOME: "/nonexistent", ...SHORT_LIVED, ...env };
}

function spawn(command: readonly string[], cwd: string, env: Env) {
  return Bun.spawn([...command], {
    cwd,
    env: cleanEnv(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  readonly exited: Promise<number>;
  output(): string;
  /** Sends a signal and waits for the end. @returns the exit code */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number>;
}

export interface ProcessOptions {
  readonly cwd: string;
  readonly env?: Env;
  readonly ready: RegExp;
}

/** Starts a program that listens, and waits until it does. */
export async function startProcess(
  command: readonly string[],
  { cwd, env = {}, ready }: ProcessOptions,
): Promise<ServerProcess> {
  const child = spawn(command, cwd, env);
  let output = "";
  const listening = Promise.withResolvers<string>();
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      const url = ready.exec(output)?.[1];
      if (url) listening.resolve(url);
    }
  };
  void Promise.all([read(child.stdout), read(child.stderr)]).then(() => {
    listening.reject(new Error(`it ended before it listened:\n${output}`));
  });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    return await child.exited;
  };
  return {
    url: await listening.promise,
    pid: child.pid,
    exited: child.exited,
    output: () => output,
    end,
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}

/** All agents of a test sign in from one address, which the limits would stop. */
export const NO_RATE_LIMITS = {
  RATE_LIMIT_AUTH_PER_MINUTE: "0",
  RATE_LIMIT_WALLET_PER_MINUTE: "0",
  RATE_LIMIT_AGENT_PER_MINUTE: "0",
} as const;

/**
 * Starts a `tokend` on a free port, with its data in `cwd`.
 *
 * @param command the program, or {@link TOKEND}
 */
export function startTokend(
  command: readonly string[],
  cwd: string,
  env: Env = {},
): Promise<ServerProcess> {
  return startProcess(command, {
    cwd,
    env: { PORT: "0", DATA_DIR: join(cwd, "data"), ...NO_RATE_LIMITS, ...env },
    ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
  });
}

export interface ChainProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
}

/** Starts a `tokend localnet` on a free port, or the real node that `TEST_NODE` names (`test/validator/`). */
export async function startLocalnet(
  tokend: string,
  cwd: string,
  programs: string,
): Promise<ChainProcess> {
  if (process.env.TEST_NODE) return (await import("../validator/node.ts")).startNamedNode();
  return startProcess([tokend, "localnet", "--port", "0", "--programs", programs], {
    cwd,
    ready: /JSON-RPC on (http\S+)/,
  });
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = spawn(command, cwd, env);
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}
