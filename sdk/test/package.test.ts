import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, readdir, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { startTestServer, type TestServer } from "../../test/support/test-server.ts";
import { buildSdk } from "../build.ts";
import manifest from "../package.json" with { type: "json" };
import { MAX_RSS_BYTES, refusals, runMeasured, startHostileServer } from "./hostile-answers.ts";

/** An empty project into which the packed package was installed, and nothing else. */
let project: string;
let server: TestServer;

const sdk = join(import.meta.dir, "..");
const installed = () => join(project, "node_modules/@tokenctl/sdk");

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "sdk-project-"));
  await buildSdk();
  await run([process.execPath, "pm", "pack", "--destination", project, "--quiet"], sdk);
  const [tarball = ""] = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
  await mkdir(installed(), { recursive: true });
  await run(["tar", "-xzf", join(project, tarball), "--strip-components=1", "-C", installed()]);
  // The registry's part of an installation: the dependencies that the package names, no others.
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) {
    const target = join(project, "node_modules", name);
    await mkdir(dirname(target), { recursive: true });
    const from = name === "@types/node" ? join(sdk, "..") : sdk;
    await symlink(await realpath(join(from, "node_modules", name)), target);
  }
  for (const script of [
    import.meta.resolve("./runtime/agent-life.mjs"),
    import.meta.resolve("./runtime/hostile-answers.mjs"),
    import.meta.resolve("./runtime/own-signer.ts"),
  ]) {
    await cp(new URL(script), join(project, basename(script)));
  }
  await Bun.write(join(project, "package.json"), JSON.stringify({ type: "module" }));
  // The client reads how long a token lasts from its `iat`, which is of this machine's clock.
  server = await startTestServer({}, {}, Date.now());
}, 60_000);

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await rm(project, { recursive: true, force: true });
});

test("the package holds modules, declarations and a README, and nothing unpublished", async () => {
  const files = (await readdir(installed(), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const names = files.map((file) => file.slice(installed().length + 1));
  expect(names).toContain("dist/index.js");
  expect(names).toContain("dist/index.d.ts");
  expect(names).toContain("README.md");
  for (const name of names) {
    expect(name).toMatch(/^(dist\/.*\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/);
  }
  for (const file of files.filter((name) => name.includes("/dist/"))) {
    const text = await Bun.file(file).text();
    expect(text).not.toMatch(/@tokenctl\/shared|typebox|workspace:|\.ts"/);
    expect(text).not.toContain(dirname(sdk));
  }
});

describe("its declarations compile", () => {
  const tsc = join(sdk, "../node_modules/.bin/tsc");
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022"];
  const settings: Record<string, string[]> = {
    "on Node": ["--module", "nodenext", "--types", "node", "--lib", "es2023"],
    "for a bundler": ["--module", "preserve", "--types", "", "--lib", "es2023,dom"],
  };
  for (const [name, options] of Object.entries(settings)) {
    test(name, async () => {
      expect(await run([tsc, ...strict, ...options, "own-signer.ts"])).toBe("");
    }, 30_000);
  }

  test("in every example of the README", async () => {
    const readme = await Bun.file(join(installed(), "README.md")).text();
    const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
    expect(examples.length).toBeGreaterThan(3);
    const files = examples.map((_, index) => `readme-${index}.ts`);
    await Promise.all(files.map((file, i) => Bun.write(join(project, file), examples[i] ?? "")));
    const options = ["--module", "nodenext", "--types", "node", "--lib", "es2023"];
    expect(await run([tsc, ...strict, ...options, ...files])).toBe("");
  }, 30_000);

  test("for plain JavaScript", async () => {
    const options = ["--allowJs", "--checkJs", "--module", "nodenext", "--types", "node"];
    expect(await run([tsc, ...strict, ...options, "--lib", "es2023", "agent-life.mjs"])).toBe("");
  }, 30_000);
});

describe("an agent's whole life, against a real server", () => {
  const node = Bun.which("node");

  test.skipIf(node === null)("on Node", () => live([node ?? ""], "NODE"), 30_000);

  test("on Bun", () => live([process.execPath, "run"], "BUN"), 30_000);

  async function live(runtime: string[], ticker: string): Promise<void> {
    const env = { API_URL: server.url, TICKER: ticker };
    const checks = JSON.parse(await run([...runtime, "agent-life.mjs"], project, env));
    expect(Object.keys(checks).length).toBeGreaterThan(20);
    expect(Object.entries(checks).filter(([, passed]) => passed !== true)).toEqual([]);
  }
});

describe("an answer that would fill the memory is refused, and the connection given up", () => {
  const node = Bun.which("node");

  test.skipIf(node === null)("on Node", () => refuseAll([node ?? ""]), 30_000);

  test("on Bun", () => refuseAll([process.execPath, "run"]), 30_000);

  async function refuseAll(runtime: string[]): Promise<void> {
    await using hostile = await startHostileServer();
    const env = { API_URL: hostile.url, KINDS: Object.keys(refusals).join() };
    const command = [...runtime, "hostile-answers.mjs"];
    const { stdout, stderr, maxRss } = await runMeasured(command, project, env);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(refusals);
    expect(maxRss).toBeLessThan(MAX_RSS_BYTES);
    await hostile.endlessGivenUp;
  }
});

/** @returns what the command printed; throws where it failed */
async function run(
  command: string[],
  cwd = project,
  env: Record<string, string> = {},
): Promise<string> {
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${exitCode}\n${stdout}${stderr}`);
  return stdout;
}
