import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp, mkdir, readdir, realpath, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { npmInstall, pack, succeed } from "../../test/support/packages.ts";
import { tempDir } from "../../test/support/processes.ts";
import { startTestServer, type TestServer } from "../../test/support/test-server.ts";
import { bundleForBrowsers, bundleForNode } from "./bundles.ts";
import { MAX_RSS_BYTES, refusals, runMeasured, startHostileServer } from "./hostile-answers.ts";

const folder = tempDir();
/** A project with nothing installed but the packed package. */
const project = join(folder.path, "project");
let tarball: string;
let server: TestServer;

const sdk = join(import.meta.dir, "..");
const node = findProgram("node");
const installed = () => join(project, "node_modules/@tokenctl/sdk");

beforeAll(async () => {
  tarball = await pack("sdk", folder.path);
  await npmInstall(project, [tarball]);
  const nodeTypes = await realpath(join(sdk, "../node_modules/@types/node"));
  await mkdir(join(project, "node_modules/@types"));
  await symlink(nodeTypes, join(project, "node_modules/@types/node"));
  for (const script of [
    import.meta.resolve("./runtime/agent-life.mjs"),
    import.meta.resolve("./runtime/hostile-answers.mjs"),
    import.meta.resolve("./runtime/own-signer.ts"),
    import.meta.resolve("./runtime/web-life.mjs"),
    import.meta.resolve("./runtime/web-globals.mjs"),
  ]) {
    await cp(new URL(script), join(project, basename(script)));
  }
  // The client reads how long a token lasts from its `iat`, which is of this machine's clock.
  server = await startTestServer({}, {}, Date.now());
});

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("the package holds modules, declarations, a README and its licence, and nothing unpublished", async () => {
  const files = (await readdir(installed(), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const names = files.map((file) => file.slice(installed().length + 1));
  expect(names).toContain("dist/index.js");
  expect(names).toContain("dist/index.d.ts");
  expect(names).toContain("README.md");
  const licence = (path: string) => Bun.file(join(path, "LICENSE")).text();
  expect(await licence(installed())).toBe(await licence(join(sdk, "..")));
  expect(names).toContain("skills/tokenctl/SKILL.md");
  for (const name of names) {
    expect(name).toMatch(
      /^(dist\/.*\.(js|d\.c?ts)|dist\/index\.cjs|package\.json|README\.md|LICENSE|skills\/tokenctl\/.*\.md)$/,
    );
  }
  for (const file of files.filter((name) => name.includes("/dist/"))) {
    const text = await Bun.file(file).text();
    expect(text).not.toMatch(/@tokenctl\/shared|typebox|workspace:|\.ts"/);
    expect(text).not.toContain(dirname(sdk));
  }
});

test("it installs with eight packages and less than 3.5 MB", async () => {
  const lock = await Bun.file(join(project, "node_modules/.package-lock.json")).json();
  const names = Object.keys(lock.packages).map((path) => path.replace("node_modules/", ""));
  expect(names.filter((name) => name !== "@tokenctl/sdk")).toEqual([
    "@noble/ed25519",
    "@noble/hashes",
    "@stablelib/base64",
    "base-x",
    "bs58",
    "eventsource-parser",
    "fast-sha256",
    "standardwebhooks",
  ]);
  const [kibibytes] = (await succeed(["du", "-sk", "node_modules"], project)).split("\t");
  expect(Number(kibibytes)).toBeLessThan(3_500);
});

test("publint finds nothing in the package", async () => {
  const bytes = await Bun.file(tarball).arrayBuffer();
  const { messages } = await publint({ pack: { tarball: bytes }, strict: true });
  expect(messages).toEqual([]);
});

test("its types resolve under every resolution, from ES modules and from CommonJS", async () => {
  const analysis = await checkPackage(
    createPackageFromTarballData(await Bun.file(tarball).bytes()),
  );
  if (!analysis.types) throw new Error("the package has no types");
  expect(analysis.problems).toEqual([]);
});

describe("in a browser", () => {
  test("a bundle takes at most 60 kB compressed, and has no Buffer and no module of Node", async () => {
    const bundle = await bundleForBrowsers(project, true);
    expect(bundle).toContain("/api/auth/challenge");
    expect(Bun.gzipSync(bundle, { level: 9 }).length).toBeLessThan(60_000);
    const globalsOfNode = /\b(?:Buffer\.\w+|process\.(?:env|version|nextTick)|node:\w+|require\()/g;
    expect(bundle.match(globalsOfNode) ?? []).toEqual([]);
  });

  test.skipIf(node === null)("a token's life needs nothing that browsers do not have", async () => {
    await Bun.write(join(project, "bundle.js"), await bundleForBrowsers(project, false));
    const env = { API_URL: server.url, TICKER: "WEB" };
    const command = [node ?? "", "web-globals.mjs", "bundle.js"];
    const checks = JSON.parse(await run(command, project, env));
    expect(Object.keys(checks).length).toBeGreaterThan(6);
    expect(Object.entries(checks).filter(([, passed]) => passed !== true)).toEqual([]);
  });
});

describe("in a bundle for Node, such as that of a Lambda function", () => {
  for (const format of ["esm", "cjs"] as const) {
    test.skipIf(node === null)(`a token lives its whole life as ${format}`, async () => {
      const outfile = await bundleForNode(project, format);
      const env = { API_URL: server.url, TICKER: format.toUpperCase() };
      const checks = JSON.parse(await run([node ?? "", outfile], project, env));
      expect(Object.entries(checks).filter(([, passed]) => passed !== true)).toEqual([]);
    });
  }
});

test.skipIf(node === null)(
  "without `require` of ES modules there is a module of CommonJS",
  async () => {
    const code = `const { generateSecretKey, explainTransaction } = require("@tokenctl/sdk");
    explainTransaction(generateSecretKey().publicKey).catch(({ name }) => console.log(name));`;
    const flag = "--no-experimental-require-module";
    expect(await run([node ?? "", flag, "-e", code])).toBe("InvalidArgumentError\n");
  },
);

test.skipIf(node === null)("Node's require reads the module that import reads", async () => {
  const code = `const { TokenctlClient } = require("@tokenctl/sdk");
    import("@tokenctl/sdk").then((it) => console.log(it.TokenctlClient === TokenctlClient));`;
  expect(await run([node ?? "", "-e", code])).toBe("true\n");
});

describe("the package's declarations compile", () => {
  const tsc = join(sdk, "../node_modules/.bin/tsc");
  const strict = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022"];

  test("on Node, in every example of the README, for plain JavaScript, and from CommonJS, with launches told apart by their status and errors that have codes", async () => {
    await cp(join(import.meta.dir, "runtime/told-apart.ts"), join(project, "told-apart.cts"));
    const readme = await Bun.file(join(installed(), "README.md")).text();
    const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
    expect(examples.length).toBeGreaterThan(3);
    const files = examples.map((_, index) => `readme-${index}.ts`);
    await Promise.all(files.map((file, i) => Bun.write(join(project, file), examples[i] ?? "")));
    const options = ["--allowJs", "--checkJs", "--module", "node16", "--types", "node"];
    const own = ["own-signer.ts", "agent-life.mjs", "told-apart.cts"];
    const all = [...options, "--lib", "es2023", ...own, ...files];
    expect(await run([tsc, ...strict, ...all])).toBe("");
  });

  test.skipIf(node === null)(
    "by tsc for Node as docs/agents.md says, and what it writes runs",
    async () => {
      const page = await Bun.file(join(sdk, "../docs/agents.md")).text();
      const programs = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
      const folder = join(project, "agents");
      for (const [index, code] of programs.entries()) {
        const name = code.startsWith("// agent.ts") ? "agent.ts" : `program-${index}.ts`;
        await Bun.write(join(folder, name), code);
      }
      const named = /^options (.*)\.$/ms.exec(page.slice(0, page.indexOf("```ts")))?.[1] ?? "";
      const options = [...named.matchAll(/`("\w+": .*?)`/g)].map(([, option = ""]) => option);
      expect(options).toHaveLength(4);
      await Bun.write(join(folder, "tsconfig.json"), `{ "compilerOptions": { ${options} } }`);
      expect(await run([tsc, "-p", "."], folder)).toBe("");
      const launch = programs.findIndex((code) => code.includes("idempotencyKey"));
      // The ticker of the README is another example's too.
      await using own = await startTestServer({}, {}, Date.now());
      const env = { TOKENCTL_API_URL: own.url };
      expect(await run([node ?? "", `program-${launch}.js`], folder, env)).toMatch(/^\w{32,44}\n$/);
    },
  );
});

describe("an agent lives its whole life against a real server", () => {
  test.skipIf(node === null)("on Node", async () => {
    // It stands still, and the tests before may have taken longer than the program allows.
    server.clock.set(Date.now());
    const env = { API_URL: server.url, TICKER: "NODE" };
    const checks = JSON.parse(await run([node ?? "", "agent-life.mjs"], project, env));
    expect(Object.keys(checks).length).toBeGreaterThan(20);
    expect(Object.entries(checks).filter(([, passed]) => passed !== true)).toEqual([]);
  });

  test.skipIf(node === null)("on Node, the first agent as the README prints it", async () => {
    const readme = await Bun.file(join(sdk, "../README.md")).text();
    const [, file = "", code = ""] = /`([\w-]+\.mjs)`.*?^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
    await Bun.write(join(project, file), code);
    const env = { TOKENCTL_API_URL: server.url };
    expect(await run([node ?? "", file], project, env)).toMatch(/^0\.\d+ SOL, \w{64,88}\n$/);
  });
});

// On Bun: test/e2e/hostile-answers.test.ts
test.skipIf(node === null)(
  "on Node an answer that would fill the memory is refused, and its connection dropped",
  async () => {
    const codes = refusals(false);
    await using hostile = await startHostileServer();
    const env = { API_URL: hostile.url, KINDS: Object.keys(codes).join() };
    const command = [node ?? "", "hostile-answers.mjs"];
    const { stdout, stderr, maxRss } = await runMeasured(command, project, env);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual(codes);
    expect(maxRss).toBeLessThan(MAX_RSS_BYTES);
    await hostile.endlessGivenUp;
  },
);

/** @returns what the command printed; throws if it failed */
function run(command: string[], cwd = project, env: Record<string, string> = {}): Promise<string> {
  return succeed(command, cwd, env);
}
