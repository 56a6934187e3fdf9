import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { biomeRules } from "../../scripts/rooms.ts";
import { ROOT, tempDir } from "../support/processes.ts";
import { PLANTED_IMPORTS } from "./planted-imports.ts";

/** Ways to write an import, each in a line of its own: a rule that misses one of them is no rule. */
const WAYS = [
  (path: string) => `import { value } from "${path}"; export const used = value;`,
  (path: string) => `import type { Value } from "${path}"; export type Used = Value;`,
  (path: string) => `import "${path}";`,
  (path: string) => `export { value } from "${path}";`,
  (path: string) => `export * from "${path}";`,
  (path: string) => `export type { Value } from "${path}";`,
  (path: string) => `export const load = () => import("${path}");`,
];

const OWN_SESSION = "server/src/store/own-session.grit";

/** What a transaction may await, and from the fourth line on what it may not. */
const TRANSACTIONS = [
  "declare const db: any, find: any, other: any;",
  "export const own = () => db.transaction(async (session: any) => { await find(session); await db.violates(session); });",
  "export const after = async () => { await db.write(({ orm }: any) => orm.select()); await db.read(find); };",
  "export const read = () => db.transaction(async (session: any) => { await find(session); await db.read(find); });",
  "export const returned = () => db.read((session: any) => db.read(find), ['lock']);",
  "export const member = (store: any) => store.db.write(({ orm }: any) => store.db.read(() => orm));",
  "export const sleep = () => db.transaction(async () => { await Bun.sleep(1); });",
  "export async function indirect(tx: any) { await find(); return tx; }",
  "export const passed = () => other.decide(async (transaction: any) => { await other.find(); return transaction; });",
  "export class Store { async read({ orm }: any) { await this.find(); return orm; } async find() {} }",
];

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

const folder = tempDir();
let broken: readonly Diagnostic[];

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder.path, file)), { recursive: true });
  writeFileSync(join(folder.path, file), text);
}

function specifier(from: string, target: string): string {
  if (target.startsWith("@")) return target;
  const path = relative(dirname(from), target);
  return path.startsWith(".") ? path : `./${path}`;
}

beforeAll(() => {
  copyFileSync(join(ROOT, "biome.json"), join(folder.path, "biome.json"));
  mkdirSync(join(folder.path, "server/src/store"), { recursive: true });
  copyFileSync(join(ROOT, OWN_SESSION), join(folder.path, OWN_SESSION));
  write("server/src/store/plant-transactions.ts", TRANSACTIONS.join("\n"));
  writeFileSync(join(folder.path, "biome.rooms.json"), biomeRules());
  for (const { file, target } of PLANTED_IMPORTS) {
    if (!target.startsWith("@")) {
      write(target, "export const value = 1;\nexport type Value = number;\n");
    }
    write(file, WAYS.map((way) => way(specifier(file, target))).join("\n"));
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
  ({ diagnostics: broken } = JSON.parse(stdout.toString()));
});

afterAll(() => folder[Symbol.dispose]());

/** @returns the lines in which a file breaks a rule, from 1 */
const linesOf = (file: string, rule: string) => {
  const found = broken.filter(
    ({ category, location }) => category === rule && location.path === file,
  );
  return [...new Set(found.map(({ location }) => location.start.line))].sort((a, b) => a - b);
};

const cases = PLANTED_IMPORTS.map(
  ({ file, target, isAllowed }) =>
    [`${dirname(file)}/`, isAllowed ? "may" : "may not", target, file, isAllowed] as const,
);

describe("the lint rules", () => {
  test.each(cases)(
    "%s %s import %s, however it is written",
    (_from, _may, _to, file, isAllowed) => {
      const refused = isAllowed ? [] : WAYS.map((_, index) => index + 1);
      expect(linesOf(file, "lint/style/noRestrictedImports")).toEqual(refused);
    },
  );

  test("what a transaction awaits besides its own session is refused", () => {
    const lines = linesOf("server/src/store/plant-transactions.ts", "plugin");
    expect(lines).toEqual([4, 5, 6, 7, 8, 9, 10]);
  });

  test("a circle is refused, even one of types", () => {
    for (const file of ["server/src/base/ring-a.ts", "server/src/base/ring-b.ts"]) {
      expect(linesOf(file, "lint/suspicious/noImportCycles")).toEqual([1]);
    }
  });
});
