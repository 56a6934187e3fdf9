import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The repository's root. */
export const ROOT = join(import.meta.dir, "..", "..");

/** Makes an empty folder, which is removed when disposed of. */
export function tempFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), "tokenctl-"));
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** What stays of the environment: nothing that could configure the programs by accident. */
function cleanEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: "/nonexistent", ...env };
}

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly process: Bun.Subprocess<"ignore", "ignore", "pipe">;
  /** What it has logged so far. */
  log(): string;
  /** Sends a signal and waits for the end. @returns the exit code */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<number>;
}

/** Starts a `tokend` on a free port and waits until it listens. */
export async function startProcess(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const child = Bun.spawn([...command], {
    cwd,
    env: cleanEnv({ PORT: "0", DATA_DIR: join(cwd, "data"), ...env }),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  let log = "";
  const listening = Promise.withResolvers<string>();
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      log += decoder.decode(chunk, { stream: true });
      const url = /"url":"(http[^"]+)"[^\n]*tokend listens/.exec(log)?.[1];
      if (url) listening.resolve(url);
    }
    listening.reject(new Error(`it ended before it listened:\n${log}`));
  };
  void read();
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    return await child.exited;
  };
  return {
    url: await listening.promise,
    process: child,
    log: () => log,
    end,
    [Symbol.asyncDispose]: async () => void (await end("SIGKILL")),
  };
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function run(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = Bun.spawn([...command], {
    cwd,
    env: cleanEnv(env),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}
