/**
 * `bun run check` lints, type-checks and tests everything, and looks for what nothing uses.
 * `bun run check PATH…` lints, type-checks and tests what is under these paths.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";

const root = join(import.meta.dir, "..");
const paths = process.argv.slice(2).map((path) => relative(root, resolve(path)));

let isInterrupted = false;

// A path without `./` is a pattern, which other paths match too.
const testArgs = ["--pass-with-no-tests", ...paths.map((path) => `./${path}`)];
const isRight =
  paths.length === 0
    ? (await run("bun", "run", "build")) && (await testAndRead())
    : (await run("bun", "scripts/rooms.ts")) &&
      (await run("bunx", "biome", "check", ...paths)) &&
      (await typeCheck(paths)) &&
      (await run("bun", "run", "test", ...testArgs));
process.exit(isRight ? 0 : 1);

/** Runs a step. @returns whether it succeeded */
async function run(...command: string[]): Promise<boolean> {
  return (await spawn(...command).exited) === 0;
}

/** Starts a step, which ends before this process if that is interrupted: it removes its files first. */
function spawn(...command: string[]): Bun.Subprocess {
  const step = Bun.spawn(command, { cwd: root, stdio: ["inherit", "inherit", "inherit"] });
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      isInterrupted = true;
      step.kill();
    });
  }
  return step;
}

/**
 * Tests, and lints, checks types and finds unused code beside them at a low priority: tests leave processors idle.
 * If that finds something, the tests end, and it is printed last.
 */
async function testAndRead(): Promise<boolean> {
  const tests = spawn("bun", "run", "test:built");
  const reading = Bun.spawn(["nice", "bun", "run", "--parallel", "lint", "typecheck", "knip"], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
  });
  const output = Promise.all([reading.stdout.text(), reading.stderr.text()]);
  const isRead = reading.exited.then((exitCode) => {
    if (exitCode !== 0) tests.kill();
    return exitCode === 0;
  });
  const passed = (await tests.exited) === 0;
  if (isInterrupted) return false;
  console.log((await output).join(""));
  return (await isRead) && passed;
}

/** Type-checks files and what they import. The page has settings of its own. */
async function typeCheck(all: readonly string[]): Promise<boolean> {
  // They declare what no file of TypeScript exports, such as SQL files.
  const ambient = [...new Bun.Glob("{console,server,shared}/src/**/*.d.ts").scanSync(root)];
  const ofPage = all.filter((path) => `${path}/`.startsWith("console/"));
  const others = all.filter((path) => !ofPage.includes(path));
  for (const [folder, include] of [
    [".", others],
    ["console", ofPage],
  ] as const) {
    if (include.length === 0) continue;
    const project = join(root, folder, `tsconfig.check-${process.pid}.json`);
    const settings = {
      extends: "./tsconfig.json",
      include: [...include, ...ambient].map((path) => join(root, path)),
    };
    writeFileSync(project, JSON.stringify(settings));
    try {
      if (!(await run("bunx", "tsc", "--noEmit", "-p", project))) return false;
    } finally {
      rmSync(project);
    }
  }
  return true;
}
