import { join } from "node:path";

/** The figures of one run of wrk. Latencies are in milliseconds. */
export interface Load {
  readonly seconds: number;
  readonly requests: number;
  /** Completed sign-ins, which take several requests each. */
  readonly completed: number;
  readonly p50: number;
  readonly p99: number;
}

export interface WrkOptions {
  /** A script of `bench/load`. */
  readonly script: "get" | "launch" | "sign-in";
  readonly arguments: readonly string[];
  readonly url: string;
  readonly seconds: number;
  /** Default 64. */
  readonly connections?: number;
}

/** wrk is not on this machine. */
class WrkMissingError extends Error {
  override readonly name = "WrkMissingError";

  constructor() {
    super("The benchmark's load comes from wrk: install it with `apt-get install -y wrk`");
  }
}

/** @throws {WrkMissingError} */
export function wrkVersion(): string {
  if (Bun.which("wrk") === null) throw new WrkMissingError();
  const { stdout } = Bun.spawnSync(["wrk", "--version"]);
  return /^(?:debian\/)?wrk (\S+)/.exec(stdout.toString())?.[1] ?? "unknown";
}

/**
 * Loads a server from one thread of wrk.
 *
 * @throws {Error} if any request failed or was not answered with 2xx, because times of errors mean
 * nothing
 */
export async function load(options: WrkOptions): Promise<Load> {
  const { url, seconds, connections = 64 } = options;
  const child = Bun.spawn(
    [
      "wrk",
      "--threads=1",
      `--connections=${connections}`,
      `--duration=${seconds}s`,
      "--timeout=10s",
      `--script=${join(import.meta.dir, "..", "load", `${options.script}.lua`)}`,
      url,
      "--",
      ...options.arguments,
    ],
    { stdout: "pipe", stderr: "pipe" },
  );
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const line = /^REPORT (.*)$/m.exec(output)?.[1];
  if ((await child.exited) !== 0 || line === undefined) {
    throw new Error(`wrk gave no report: ${errors || output}`);
  }
  const { failed, ...report } = JSON.parse(line) as Load & { failed: number };
  if (failed > 0 || report.requests === 0) {
    throw new Error(`${failed} of ${report.requests} requests of ${options.script} failed`);
  }
  return report;
}
