/**
 * Builds the package into `dist/`: one ES module with declarations for each source file. The modules are
 * compiled, not bundled, so that classes keep their names, lazy imports stay lazy, and stack traces name real
 * files. For CommonJS, `index.cjs` requires the same module, and `.d.cts` files declare it. `dist/shared/` gets the modules of the unpublished
 * `@tokenctl/shared` that the SDK uses, and `skills/` beside it the skill for models.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { copySkills } from "../scripts/copy-skills.ts";
import { declaredTypes } from "../scripts/wire-types.ts";

const root = import.meta.dir;

/** What sends the requests: `imports` of package.json choose one of the two for each runtime. */
const DEFAULT_FETCH = "sdk/src/internal/default-fetch";
const entries = ["sdk/src/index", DEFAULT_FETCH, "sdk/src/internal/web-fetch"];

/**
 * @param outDir where `index.js` and `index.d.ts` go; it is emptied first
 * @throws if the compiler finds an error
 */
export async function buildSdk(outDir = join(root, "dist")): Promise<void> {
  const emitted = await mkdtemp(join(tmpdir(), "sdk-build-"));
  try {
    await compile(emitted);
    await rm(outDir, { recursive: true, force: true });
    const done = new Set<string>();
    for (const entry of entries) await copyReachable(entry, ".js", emitted, outDir, done);
    await copyReachable("sdk/src/index", ".d.ts", emitted, outDir, done);
    await copyReachable("sdk/src/index", ".d.cts", emitted, outDir, done);
    await Bun.write(join(outDir, "index.cjs"), 'module.exports = require("./index.js");\n');
    await copySkills(root);
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

async function compile(outDir: string): Promise<void> {
  const tsc = Bun.spawn(
    [process.execPath, "x", "tsc", "-p", join(root, "tsconfig.build.json"), "--outDir", outDir],
    { cwd: root, env: { ...process.env, BUN_BE_BUN: "1" }, stdout: "pipe", stderr: "pipe" },
  );
  const [output, exitCode] = await Promise.all([new Response(tsc.stdout).text(), tsc.exited]);
  if (exitCode !== 0) throw new Error(`The SDK does not compile:\n${output}`);
}

/**
 * Copies a module and those that it imports, with import paths that every resolver understands.
 *
 * @param module path below `emitted`, without extension
 */
async function copyReachable(
  module: string,
  extension: string,
  emitted: string,
  outDir: string,
  done: Set<string>,
): Promise<void> {
  if (done.has(module + extension)) return;
  done.add(module + extension);
  const imports: string[] = [];
  const isCommonJs = extension === ".d.cts";
  const source =
    module === "shared/src/types"
      ? declaredTypes()
      : await Bun.file(join(emitted, module + (isCommonJs ? ".d.ts" : extension))).text();
  const text = withoutMeanings(source).replace(
    /\b(from|import) ?(\(?)"((?:\.|@tokenctl\/shared\/)[^"]+)"/g,
    (_, keyword: string, parenthesis: string, specifier: string) => {
      const imported = resolveImport(module, specifier);
      if (imported === DEFAULT_FETCH) return `${keyword} ${parenthesis}"#default-fetch"`;
      imports.push(imported);
      // With the extension, because a folder may have the module's name.
      const path = relative(
        dirname(placeOf(module)),
        `${placeOf(imported)}${isCommonJs ? ".cjs" : ".js"}`,
      );
      const space = parenthesis === "" ? " " : "";
      return `${keyword}${space}${parenthesis}"${path.startsWith(".") ? "" : "./"}${path}"`;
    },
  );
  await Bun.write(join(outDir, placeOf(module) + extension), text);
  for (const imported of imports) {
    await copyReachable(imported, extension, emitted, outDir, done);
  }
}

/** Leaves out what only the documentation prints of the error codes, so that bundles stay small. */
function withoutMeanings(source: string): string {
  return source.replace(/^ +meaning: "(?:[^"\\]|\\.)*",\n/gm, "");
}

function resolveImport(from: string, specifier: string): string {
  const path = specifier.startsWith(".")
    ? join(dirname(from), specifier)
    : specifier.replace("@tokenctl/shared/", "shared/src/");
  return path.replace(/\.[jt]s$/, "");
}

/** @returns a module's path in the package: the SDK's sources at the top, `shared/` in a folder */
function placeOf(module: string): string {
  return module.replace(/^sdk\/src\//, "").replace(/^shared\/src\//, "shared/");
}

if (import.meta.main) {
  await buildSdk();
  console.log("Built sdk/dist");
}
