import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { ROOMS } from "../../scripts/rooms.ts";
import { ROOT } from "../support/processes.ts";

/** What is built into the programs and the packages. */
const sources = [
  ...new Bun.Glob("{server,sdk,cli,console,shared}/src/**/*.{ts,tsx}").scanSync({ cwd: ROOT }),
]
  .filter((path) => !/\.test\.tsx?$/.test(path) && !path.includes("/testing/"))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

const folders = [...new Set(sources.map(({ path }) => dirname(path)))];

describe("the folders", () => {
  test("the server's root holds only what starts and composes the server", () => {
    const files = readdirSync(join(ROOT, "server/src"), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map(({ name }) => name);
    expect(files.sort()).toEqual([
      "app.ts",
      "main.ts",
      "open-chain.ts",
      "open-store.ts",
      "program.ts",
      "reserve.ts",
      "root-help.ts",
      "server.ts",
      "services.ts",
    ]);
  });

  test("every folder is in the table of rooms", () => {
    const rooms = Object.keys(ROOMS).map((room) => new Bun.Glob(room));
    const unlisted = folders.filter((folder) => !rooms.some((room) => room.match(folder)));
    expect(unlisted).toEqual([]);
  });

  test("every room has its sentence in AGENTS.md", () => {
    const rows = readFileSync(join(ROOT, "AGENTS.md"), "utf8")
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .join("\n");
    const rooms = new Set(
      folders.flatMap((folder) => /^server\/src\/[^/]+/.exec(folder)?.[0] ?? []),
    );
    const missing = [...rooms].filter((room) => !rows.includes(`\`${room}/`));
    expect(missing).toEqual([]);
  });
});

describe("a source file", () => {
  test("only routes, http/ and app.ts import Elysia", () => {
    const isHttp = /^server\/src\/(?:http\/[^/]+|modules\/[^/]+\/routes|app)\.ts$/;
    const imports = sources.filter(({ text }) => /from "elysia"/.test(text));
    expect(imports.map(({ path }) => path).filter((path) => !isHttp.test(path))).toEqual([]);
  });

  // Biome's import rules do not see `import("…")` as a type.
  test("no type is imported inline", () => {
    expect(sources.filter(({ path, text }) => hasInlineImportType(text, path))).toEqual([]);
  });

  test("an inline import of a type is found beside imports of values", () => {
    const load = 'export const load = () => import("../worker/worker.ts");\n';
    expect(hasInlineImportType(load)).toBe(false);
    expect(hasInlineImportType(`${load}type A = import("../worker/worker.ts").Worker;\n`)).toBe(
      true,
    );
    expect(hasInlineImportType('type A = typeof import("../worker/worker.ts");\n')).toBe(true);
  });
});

/** The compiler removes imports of types, so that only those of values are left to be counted. */
function hasInlineImportType(text: string, path = ".ts"): boolean {
  const written = text.match(/\bimport\s*\(\s*["'`]/g)?.length ?? 0;
  if (written === 0) return false;
  const imports = new Bun.Transpiler({ loader: path.endsWith("x") ? "tsx" : "ts" }).scanImports(
    text.replace(/^#!.*/, ""),
  );
  return written > imports.filter(({ kind }) => kind === "dynamic-import").length;
}

test("no file of the repository holds a secret key", async () => {
  const list = "\\[[0-9]{1,3}(, ?[0-9]{1,3}){63}\\]";
  expect((await $`git grep --untracked -lE ${list}`.nothrow().text()).trim()).toBe("");
});
