import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { untilGone } from "./chaos/children.ts";
import { tempDir } from "./support/processes.ts";

/** Runs one planted test file, and keeps its output open for as long as one of its processes lives. */
function runPlanted(folder: string, source: string) {
  const planted = join(folder, "planted.test.ts");
  writeFileSync(planted, source);
  const script = `import { runFiles } from "${import.meta.dir}/run-files.ts";
    process.exit(await runFiles(["${planted}"]));`;
  return Bun.spawn([process.execPath, "-e", script], {
    cwd: folder,
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Starts a program in an environment of its own, as tests start servers. */
const SLEEP = `[Bun.spawn(["sleep", "1000"], { env: { PATH: process.env.PATH } })]`;
const SERVERS = `await Promise.all([
  startTokend(TOKEND, import.meta.dir),
  startProcess([...TOKEND, "localnet", "--port", "0"], {
    cwd: import.meta.dir,
    ready: /JSON-RPC on (http\\S+)/,
  }),
])`;

/** A test that prints the ids of the programs that it starts, and waits for them. */
const startsPrograms = (programs: string) => `
  import { test } from "bun:test";
  import { startProcess, startTokend, TOKEND } from "${import.meta.dir}/support/processes.ts";
  test("waits for programs", async () => {
    const programs = ${programs};
    console.log("started " + programs.map(({ pid }) => pid).join(" ") + ".");
    await Promise.all(programs.map(({ exited }) => exited));
  });`;

test.each([
  ["SIGINT", SLEEP],
  ["SIGTERM", SLEEP],
  ["SIGKILL", SLEEP],
  ["SIGKILL", SERVERS],
] as const)(
  "a run that ends by %s leaves no program behind that its tests started",
  async (signal, programs) => {
    using folder = tempDir();
    const run = runPlanted(folder.path, startsPrograms(programs));
    let output = "";
    let pids: string[] = [];
    // Both streams end when the last process that holds them has ended.
    const stderr = new Response(run.stderr).text();
    for await (const chunk of run.stdout.pipeThrough(new TextDecoderStream())) {
      output += chunk;
      if (pids.length > 0) continue;
      pids = /started ([\d ]+)\./.exec(output)?.[1]?.split(" ") ?? [];
      if (pids.length > 0) run.kill(signal);
    }
    expect({ pids, stderr: await stderr }).not.toMatchObject({ pids: [] });
    for (const pid of pids) await untilGone(Number(pid));
    expect(await run.exited).not.toBe(0);
  },
);

test("a run ends with its slowest files, and one line that says what to install", async () => {
  using folder = tempDir();
  const run = runPlanted(
    folder.path,
    `import { test } from "bun:test";
     import { noteMissing } from "${import.meta.dir}/../server/src/testing/find-program.ts";
     for (const one of ["strace", "nginx", "Meteora's programs", "strace"]) noteMissing(one);
     test("passes", () => {});`,
  );
  const [stdout, stderr] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ]);
  expect(stderr).toContain(" 1 pass\n");
  expect(stdout).toMatch(/The slowest files:\n +\d+\.\d s {2}.*planted\.test\.ts\n/);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(
    "Tests were skipped for lack of Meteora's programs, nginx, strace. To run them: " +
      "apt-get install nginx-light strace; tokend localnet pull --rpc URL",
  );
  expect(await run.exited).toBe(0);
});
