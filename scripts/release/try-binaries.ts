import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** How long a program may take to start on a slow machine, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Runs the programs of a platform, away from the repository: `tokend` opens its sandbox, which loads
 * LiteSVM's addon, `tokenctl` reads its health, and `launch-signer` names what is inside.
 *
 * @param name of the platform, for example `linux-x64`
 * @param runner what the commands begin with
 * @throws if one of them fails
 */
export async function tryBinaries(
  folder: string,
  name: string,
  runner: readonly string[] = [],
): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), "release-try-"));
  const signer = Bun.spawn([...runner, join(folder, `launch-signer-${name}`), "licenses"], {
    stdout: "ignore",
    timeout: PATIENCE_MS,
  });
  if ((await signer.exited) !== 0) throw new Error(`launch-signer-${name} does not start`);
  const tokend = Bun.spawn([...runner, join(folder, `tokend-${name}`)], {
    cwd: data,
    env: { PORT: "0", DATA_DIR: join(data, "data"), HOME: data },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: PATIENCE_MS,
  });
  try {
    const url = await firstUrl(tokend.stdout, tokend.stderr);
    const health = Bun.spawn([...runner, join(folder, `tokenctl-${name}`), "health", "--json"], {
      env: { TOKENCTL_API_URL: url, HOME: data },
      stdout: "pipe",
      stderr: "pipe",
      timeout: PATIENCE_MS,
    });
    const answer = await new Response(health.stdout).text();
    if ((await health.exited) !== 0 || JSON.parse(answer).ok !== true) {
      throw new Error(
        `tokenctl-${name} health failed: ${answer}${await new Response(health.stderr).text()}`,
      );
    }
  } finally {
    tokend.kill("SIGTERM");
    await tokend.exited;
    await rm(data, { recursive: true, force: true });
  }
}

async function firstUrl(...streams: ReadableStream<Uint8Array>[]): Promise<string> {
  let output = "";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true });
      const url = /"url":"(http[^"]+)"[^\n]*tokend listens/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    }
  };
  void Promise.all(streams.map(read)).then(() => reject(new Error(`tokend ended:\n${output}`)));
  return promise;
}

if (import.meta.main) {
  const [folder = "", name = ""] = process.argv.slice(2);
  await tryBinaries(resolve(folder), name);
  console.log(`the binaries for ${name} run`);
}
