import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { biomeRules } from "../../scripts/rooms.ts";
import { ROOT, tempFolder } from "../support/processes.ts";
import { PLANTED_IMPORTS } from "./planted-imports.ts";

/** Ways to write an import: a rule that misses one of them is no rule. */
const WAYS = [
  (path: string) => `import { value } from "${path}";\nexport const used = value;\n`,
  (path: string) => `import type { Value } from "${path}";\nexport type Used = Value;\n`,
  (path: string) => `import "${path}";\n`,
  (path: string) => `export { value } from "${path}";\n`,
  (path: string) => `export * from "${path}";\n`,
  (path: string) => `export type { Value } from "${path}";\n`,
  (path: string) => `export const load = () => import("${path}");\n`,
];

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string | { readonly file?: string } | null };
}

const folder = tempFolder();
/** The rules that each file breaks. */
const broken = new Map<string, Set<string>>();

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder.path, file)), { recursive: true });
  writeFileSync(join(folder.path, file), text);
}

/** How one file names another in an import. */
function specifier(from: string, target: string): string {
  if (target.startsWith("@")) return target;
  const path = relative(dirname(from), target);
  return path.startsWith(".") ? path : `./${path}`;
}

const fileWritten = (file: string, way: number) => file.replace(/\.ts$/, `-${way}.ts`);

beforeAll(() => {
  copyFileSync(join(ROOT, "biome.json"), join(folder.path, "biome.json"));
  writeFileSync(join(folder.path, "biome.rooms.json"), biomeRules());
  for (const { file, target } of PLANTED_IMPORTS) {
    if (!target.startsWith("@")) {
      write(target, "export const value = 1;\nexport type Value = number;\n");
    }
    for (const [index, way] of WAYS.entries()) {
      write(fileWritten(file, index), way(specifier(file, target)));
    }
  }
  write("server/src/base/ring-a.ts", 'import type { B } from "./ring-b.ts";\nexport type A = B;\n');
  write(
    "server/src/base/ring-b.ts",
    'import type { A } from "./ring-a.ts";\nexport type B = [A];\n',
  );
  const biome = join(ROOT, "node_modules/.bin/biome");
  const options = ["--vcs-enabled=false", "--max-diagnostics=none", "--reporter=json"];
  const { stdout } = Bun.spawnSync([biome, "lint", ...options, "."], {
    cwd: folder.path,
    stderr: "ignore",
  });
  const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(stdout.toString());
  for (const { category, location } of diagnostics) {
    const { path } = location;
    const file = typeof path === "string" ? path : (path?.file ?? "");
    broken.set(file, (broken.get(file) ?? new Set()).add(category));
  }
});

afterAll(() => folder[Symbol.dispose]());

const isRefused = (file: string) =>
  broken.get(file)?.has("lint/style/noRestrictedImports") === true;

const cases = PLANTED_IMPORTS.map(
  ({ file, target, isAllowed }) =>
    [`${dirname(file)}/`, isAllowed ? "may" : "may not", target, file, isAllowed] as const,
);

describe("the import rules", () => {
  test.each(cases)(
    "%s %s import %s, however it is written",
    (_from, _may, _to, file, isAllowed) => {
      const refused = WAYS.map((_, index) => isRefused(fileWritten(file, index)));
      expect(refused).toEqual(WAYS.map(() => !isAllowed));
    },
  );

  test("a circle is refused, even one of types", () => {
    for (const file of ["server/src/base/ring-a.ts", "server/src/base/ring-b.ts"]) {
      expect(broken.get(file)).toContain("lint/suspicious/noImportCycles");
    }
  });
});
