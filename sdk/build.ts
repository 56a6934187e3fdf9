/**
 * Builds the package into `dist/`: one ES module with declarations for each source file. The modules are
 * compiled, not bundled, so that classes keep their names, lazy imports stay lazy, and stack traces name real
 * files. For CommonJS without `require` of ES modules, as in Jest, `index.cjs` is one bundle, and `.d.cts` files
 * declare it. `dist/shared/` gets the modules of the unpublished `@tokenctl/shared` that the SDK uses, and `skills/`
 * beside it the skill for models.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { copySkills } from "../scripts/copy-skills.ts";
import { declaredTypes } from "../scripts/wire-types.ts";

const root = import.meta.dir;

const ENTRY = "sdk/src/index";

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
    for (const extension of [".js", ".d.ts", ".d.cts"]) {
      await copyReachable(ENTRY, extension, emitted, outDir, done);
    }
    await bundleForCommonJs(outDir);
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

/** With all that it needs: some of the packages that it depends on are ES modules alone. */
async function bundleForCommonJs(outDir: string): Promise<void> {
  const entrypoints = [join(outDir, "index.js")];
  const { outputs } = await Bun.build({ entrypoints, target: "node", format: "cjs" });
  await Bun.write(join(outDir, "index.cjs"), (await outputs[0]?.text()) ?? "");
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
  const isTable = module === "shared/src/error-codes";
  const text = (isTable ? withoutWords(source) : source).replace(
    /\b(from|import) ?(\(?)"((?:\.|@tokenctl\/shared\/)[^"]+)"/g,
    (_, keyword: string, parenthesis: string, specifier: string) => {
      const imported = resolveImport(module, specifier);
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

/** Leaves out of the error codes what only the server and the documentation say, so that bundles stay small. */
function withoutWords(source: string): string {
  return source.replace(/^ +(?:meaning|text): "(?:[^"\\]|\\.)*",\n/gm, "");
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
