import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { biomeRules, ROOMS } from "../../scripts/rooms.ts";
import { ROOT, tempDir } from "../support/processes.ts";

/** Ways to write an import, each in a line of its own: a rule that misses one of them is no rule. */
const WAYS = [
  (path: string, n: string) =>
    `import { value as v${n} } from "${path}"; export const u${n} = v${n};`,
  (path: string, n: string) =>
    `import type { Value as V${n} } from "${path}"; export type U${n} = V${n};`,
  (path: string) => `import "${path}";`,
  (path: string, n: string) => `export { value as e${n} } from "${path}";`,
  (path: string) => `export * from "${path}";`,
  (path: string, n: string) => `export type { Value as E${n} } from "${path}";`,
  (path: string, n: string) => `export const load${n} = () => import("${path}");`,
];

/** The imports that each folder plants, and whether the rules must admit them. */
const PLANTED: Record<string, Record<string, boolean>> = {};
const plant = (folder: string, target: string, isAllowed: boolean) => {
  PLANTED[folder] = { ...PLANTED[folder], [target]: isAllowed };
};

/** Each room imports each room, what none may import, and `shared/`, which all others may. */
const folders = Object.keys(ROOMS).map((room) => [room, room.replace("*", "tokens")] as const);
for (const [room, folder] of folders) {
  for (const [to, toFolder] of folders) {
    if (to !== room) plant(folder, `${toFolder}/target.ts`, ROOMS[room]?.includes(to) === true);
  }
  plant(folder, `${folder}/testing/target.ts`, false);
  plant(folder, `${folder}/new/inner/target.ts`, false);
  plant(folder, "server/src/testing/target.ts", false);
  plant(folder, "@tokenctl/cli", false);
  plant(folder, "@tokenctl/server/src/server.ts", false);
  plant(folder, "@tokenctl/shared/limits", !room.startsWith("shared/"));
  plant(folder, "@tokenctl/sdk", /^(?:cli|console)\/|modules\/proofs$/.test(room));
}

/** What the table itself must say. */
const STATED: [folder: string, target: string, isAllowed?: boolean][] = [
  ["server/src/base", "server/src/domain"],
  ["server/src/domain", "server/src/base"],
  ["server/src/store", "server/src/store/sqlite"],
  ["server/src/launchpad", "server/src/launchpad/chain"],
  ["server/src/modules/tokens", "server/src/modules/health"],
  ["server/src/metrics", "server/src/modules/health", true],
  ["server/src/commands", "server/src/worker"],
  ["server/src", "server/src/worker", true],
  ["sdk/src", "server/src/base"],
  ["cli/src", "sdk/src"],
  ["console/src/data", "console/src/parts"],
];
for (const [folder, target, isAllowed = false] of STATED) {
  plant(folder, `${target}/stated.ts`, isAllowed);
}

/** Folders without a rule import nothing beyond themselves and `shared/`. */
const NEW = ["new", "new/inner", "modules/a/b", "launchpad/new", "localnet/new", "localnet/rpc2"];
for (const folder of [...NEW.map((name) => `server/src/${name}`), "cli/src/new", "sdk/src/new"]) {
  plant(folder, "server/src/worker/target.ts", false);
  plant(folder, "server/src/base/target.ts", false);
  plant(folder, "@tokenctl/sdk", false);
  plant(folder, "@tokenctl/shared/limits", true);
}

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
  const path = relative(from, target);
  return path.startsWith(".") ? path : `./${path}`;
}

/** @returns the lines of a folder's file with the planted imports that are allowed, or are not */
function linesOf(from: string, isWanted: (isAllowed: boolean) => boolean): string[] {
  return Object.entries(PLANTED[from] ?? {}).flatMap(([target, isAllowed], index) =>
    isWanted(isAllowed) ? WAYS.map((way) => way(specifier(from, target), `${index}`)) : [],
  );
}

beforeAll(() => {
  copyFileSync(join(ROOT, "biome.json"), join(folder.path, "biome.json"));
  mkdirSync(join(folder.path, "server/src/store"), { recursive: true });
  copyFileSync(join(ROOT, OWN_SESSION), join(folder.path, OWN_SESSION));
  write("server/src/store/plant-transactions.ts", TRANSACTIONS.join("\n"));
  writeFileSync(join(folder.path, "biome.rooms.json"), biomeRules());
  for (const from of Object.keys(PLANTED)) {
    write(`${from}/plant.ts`, linesOf(from, () => true).join("\n"));
  }
  const ring = (own: string, other: string) =>
    write(
      `server/src/base/ring-${own}.ts`,
      `import type { Of as Other } from "./ring-${other}.ts";\nexport type Of = [Other];\n`,
    );
  ring("a", "b");
  ring("b", "a");
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
const brokenIn = (file: string, rule: string) => {
  const found = broken.filter(
    ({ category, location }) => category === rule && location.path === file,
  );
  return [...new Set(found.map(({ location }) => location.start.line))].sort((a, b) => a - b);
};

describe("the lint rules", () => {
  test.each(Object.keys(PLANTED).sort())(
    "admit in %s/ what its room may import, and nothing else, however it is written",
    (from) => {
      const lines = linesOf(from, () => true);
      const refused = brokenIn(`${from}/plant.ts`, "lint/style/noRestrictedImports");
      expect(refused.map((line) => lines[line - 1])).toEqual(linesOf(from, (is) => !is));
    },
  );

  test("what a transaction awaits besides its own session is refused", () => {
    const lines = brokenIn("server/src/store/plant-transactions.ts", "plugin");
    expect(lines).toEqual([4, 5, 6, 7, 8, 9, 10]);
  });

  test("a circle is refused, even one of types", () => {
    for (const file of ["server/src/base/ring-a.ts", "server/src/base/ring-b.ts"]) {
      expect(brokenIn(file, "lint/suspicious/noImportCycles")).toEqual([1]);
    }
  });
});
