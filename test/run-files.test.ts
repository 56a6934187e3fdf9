import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./support/processes.ts";

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

/** A test that starts a program in an environment of its own, as tests start servers. */
const STARTS_A_PROGRAM = `
  import { test } from "bun:test";
  test("waits for a program", async () => {
    const env = { PATH: process.env.PATH };
    const child = Bun.spawn(["sleep", "1000"], { env, stdio: ["ignore", "inherit", "inherit"] });
    console.log("started");
    await child.exited;
  });`;

test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)(
  "a run that ends by %s leaves no program behind that its tests started",
  async (signal) => {
    using folder = tempFolder();
    const run = runPlanted(folder.path, STARTS_A_PROGRAM);
    let output = "";
    // Both streams end when the last process that holds them has ended.
    const stderr = new Response(run.stderr).text();
    for await (const chunk of run.stdout.pipeThrough(new TextDecoderStream())) {
      if (!output.includes("started") && `${output}${chunk}`.includes("started")) run.kill(signal);
      output += chunk;
    }
    await stderr;
    expect(output).toContain("started");
    expect(await run.exited).not.toBe(0);
  },
);

test("a run ends with its slowest files, and one line that says what to install", async () => {
  using folder = tempFolder();
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
