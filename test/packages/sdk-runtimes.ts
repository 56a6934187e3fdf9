/**
 * The SDK's package on every runtime that it promises. `bun run check:packages` runs it; the tests in
 * `sdk/test/package.test.ts` cover this machine's Node in every check.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { cp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { installBinaries } from "../support/binaries.ts";
import { npmInstall, pack, succeed } from "../support/packages.ts";
import { type ServerProcess, startProcess, startTokend, tempDir } from "../support/processes.ts";
import { installRuntimes, type Runtimes } from "./runtimes.ts";

// It downloads runtimes, test runners and compilers.
setDefaultTimeout(600_000);

const folder = tempDir();
const project = join(folder.path, "project");
let tarball: string;
let server: ServerProcess;
let runtimes: Runtimes;

beforeAll(async () => {
  const { tokend } = await installBinaries(folder.path);
  server = await startTokend([tokend], folder.path);
  runtimes = await installRuntimes(join(folder.path, "runtimes"));
  tarball = await pack("sdk", folder.path);
});

async function install(node?: string): Promise<void> {
  await npmInstall(project, [tarball], node);
  for (const script of ["agent-life.mjs", "web-life.mjs", "deno-life.mjs", "workerd-life.mjs"]) {
    await cp(join(import.meta.dir, "../../sdk/test/runtime", script), join(project, script));
  }
}

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

describe("an agent lives its whole life against the compiled tokend", () => {
  for (const [version, ticker] of [
    ["node-20-19", "N2019"],
    ["node-22", "N22"],
    ["node-24", "N24"],
  ] as const) {
    test(`on ${version}, installed with npm on it`, async () => {
      await install(runtimes(version));
      const env = { API_URL: server.url, TICKER: ticker };
      expectAll(await succeed([runtimes(version), "agent-life.mjs"], project, env), 20);
    });

    test(`on ${version}, whose require reads the package`, async () => {
      const code = 'console.log(require("@tokenctl/sdk").generateSecretKey().publicKey)';
      const output = await succeed([runtimes(version), "-e", code], project);
      expect(output.trim()).toMatch(/^\w{32,44}$/);
    });
  }
});

test("an agent lives its whole life on Bun, installed with Bun", async () => {
  await install();
  await rm(join(project, "node_modules"), { recursive: true });
  await Bun.write(join(project, "package.json"), JSON.stringify({ type: "module" }));
  await succeed([process.execPath, "add", tarball], project, { HOME: process.env.HOME ?? "/root" });
  const env = { API_URL: server.url, TICKER: "BUN2" };
  expectAll(await succeed([process.execPath, "run", "agent-life.mjs"], project, env), 20);
});

describe("a token lives its whole life", () => {
  beforeAll(() => install());

  test("on Deno", async () => {
    const allowed = [`--allow-net=${new URL(server.url).host}`, "--no-prompt"];
    const args = ["run", ...allowed, "deno-life.mjs", server.url, "DENO"];
    const env = { DENO_DIR: join(folder.path, "deno"), DENO_NO_UPDATE_CHECK: "1" };
    expectAll(await succeed([runtimes("deno"), ...args], project, env), 6);
  });

  test("in a Cloudflare Worker", async () => {
    await build({
      entryPoints: [join(project, "workerd-life.mjs")],
      outfile: join(project, "worker.js"),
      bundle: true,
      format: "esm",
      conditions: ["workerd", "worker", "browser"],
      logLevel: "silent",
    });
    await Bun.write(
      join(project, "worker.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-11-01",
    )),
    (name = "internet", network = (allow = ["private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`,
    );
    const control = ["--control-fd=1"];
    await using worker = await startProcess(
      [runtimes("workerd"), "serve", ...control, "worker.capnp"],
      { cwd: project, ready: /"port":(\d+)/ },
    );
    const query = new URLSearchParams({ apiUrl: server.url, ticker: "WORKER" });
    const answer = await fetch(`http://127.0.0.1:${worker.url}/?${query}`);
    expectAll(await answer.text(), 6);
  });
});

describe("a token lives its whole life in a test", () => {
  const testOf = (ticker: string) => `test("a life", async () => {
    const checks = await live(${JSON.stringify(server.url)}, ${JSON.stringify(ticker)});
    expect(Object.entries(checks).filter(([, passed]) => !passed)).toEqual([]);
  }, 60_000);`;

  test("of Jest, which requires CommonJS", async () => {
    await install();
    await build({
      entryPoints: [join(project, "web-life.mjs")],
      outfile: join(project, "web-life.cjs"),
      format: "cjs",
      logLevel: "silent",
    });
    const code = `const { live } = require("./web-life.cjs");\n${testOf("JEST")}`;
    await Bun.write(join(project, "life.test.cjs"), code);
    await Bun.write(
      join(project, "jest.config.cjs"),
      `module.exports = { testMatch: ["**/*.test.cjs"] };`,
    );
    await succeed([runtimes("jest"), "--ci"], project);
  });

  test("of Vitest", async () => {
    await install();
    const code = `import { expect, test } from "vitest";\nimport { live } from "./web-life.mjs";\n${testOf("VITEST")}`;
    await Bun.write(join(project, "life.test.mjs"), code);
    await symlink(runtimes("vitest").replace(".bin/", ""), join(project, "node_modules/vitest"));
    await succeed([runtimes("vitest"), "run", "life.test.mjs"], project);
  });
});

describe("the declarations compile, whatever libraries are checked", () => {
  beforeAll(async () => {
    await install();
    const sources = { "own-signer": "own-signer.ts", "told-apart": "told-apart.cts" };
    for (const [name, copy] of Object.entries(sources)) {
      const source = join(import.meta.dir, `../../sdk/test/runtime/${name}.ts`);
      await cp(source, join(project, copy));
    }
    const compilerOptions = {
      ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
      ...{ target: "es2022", lib: ["es2023", "dom"], types: [], module: "nodenext" },
    };
    const settings = { files: Object.values(sources), compilerOptions };
    await Bun.write(join(project, "tsconfig.json"), JSON.stringify(settings));
  });

  for (const version of ["5-0", "5-4", "5-6", "5-7", "5-9", "6"] as const) {
    test(`by TypeScript ${version.replace("-", ".")}`, async () => {
      expect(await succeed([runtimes(`typescript-${version}`)], project)).toBe("");
    });
  }
});

/** Expects that every one of more than `least` checks passed. */
function expectAll(output: string, least: number): void {
  const checks: Record<string, boolean> = JSON.parse(output);
  expect(Object.keys(checks).length).toBeGreaterThan(least);
  expect(Object.entries(checks).filter(([, passed]) => passed !== true)).toEqual([]);
}
