import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { ROOT } from "../support/processes.ts";

/** Rooms of the server and what each may import beside itself, `base/` and `shared/`. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  config: [],
  solana: [],
  localnet: [],
  "localnet/rpc": ["localnet"],
  store: [],
  launchpad: [],
  data: ["config", "store"],
  http: ["config"],
  "launchpad/chain": ["launchpad", "solana"],
  "launchpad/meteora": ["launchpad", "solana"],
  "launchpad/local": ["launchpad", "launchpad/chain", "solana", "localnet", "localnet/rpc"],
  worker: ["store", "launchpad"],
  "modules/tokens": ["http", "store", "launchpad"],
  "modules/health": ["http", "store", "launchpad"],
  metrics: ["launchpad", "http", "store", "solana", "config", "modules/health"],
};

/** Lies in its room's part of the server. */
const fileOf = (room: string, name: string) => `server/src/${room}/${name}.ts`;

interface Planted {
  readonly file: string;
  readonly target: string;
  readonly isAllowed: boolean;
}

/** For each room, one file that imports each other room; and the packages beside them. */
function plants(): Planted[] {
  const planted: Planted[] = [];
  for (const [from, allowed] of Object.entries(ROOMS)) {
    for (const to of Object.keys(ROOMS)) {
      if (from === to) continue;
      // The inside of `localnet/` is one room: its JSON-RPC is a folder of it.
      const isInside = from === "localnet" && to === "localnet/rpc";
      planted.push({
        file: fileOf(from, `plant-${to.replace("/", "-")}`),
        target: fileOf(to, "target"),
        isAllowed: to === "base" || isInside || allowed.includes(to),
      });
    }
    planted.push({
      file: fileOf(from, "plant-testing"),
      target: fileOf(from, "testing/target"),
      isAllowed: false,
    });
    for (const target of ["server/src/server.ts", "@tokenctl/sdk"]) {
      const name = target.startsWith("@") ? "plant-sdk" : "plant-composition";
      planted.push({ file: fileOf(from, name), target, isAllowed: false });
    }
    const shared = "@tokenctl/shared/limits";
    planted.push({ file: fileOf(from, "plant-shared"), target: shared, isAllowed: true });
  }
  const of = (file: string, target: string, isAllowed: boolean) =>
    planted.push({ file, target, isAllowed });
  for (const room of Object.keys(ROOMS)) {
    of(`server/src/plant-${room.replace("/", "-")}.ts`, fileOf(room, "target"), true);
  }
  of("server/src/plant-testing.ts", "server/src/testing/target.ts", false);
  of("server/src/commands/plant-worker.ts", fileOf("worker", "target"), false);
  of("server/src/commands/plant-config.ts", fileOf("config", "target"), true);
  for (const folder of ["", "internal/", "claim-check/"]) {
    of(`sdk/src/${folder}plant-shared.ts`, "@tokenctl/shared/limits", true);
    of(`sdk/src/${folder}plant-server.ts`, fileOf("base", "target"), false);
    of(`sdk/src/${folder}plant-cli.ts`, "@tokenctl/cli", false);
  }
  for (const folder of ["", "commands/", "commands/dev/"]) {
    of(`cli/src/${folder}plant-shared.ts`, "@tokenctl/shared/limits", true);
    of(`cli/src/${folder}plant-sdk.ts`, "@tokenctl/sdk", true);
    of(`cli/src/${folder}plant-inside.ts`, "sdk/src/target.ts", false);
    of(`cli/src/${folder}plant-server.ts`, fileOf("base", "target"), false);
  }
  of("shared/src/plant-sdk.ts", "@tokenctl/sdk", false);
  of("shared/src/plant-server.ts", fileOf("base", "target"), false);
  return planted;
}

/** Ways to write an import; each is a way around a rule that knows only one of them. */
const WAYS = [
  (path: string) => `import { value } from "${path}";\nexport const used = value;\n`,
  (path: string) => `import type { Value } from "${path}";\nexport type Used = Value;\n`,
  (path: string) => `export { value } from "${path}";\n`,
  (path: string) => `export const load = () => import("${path}");\n`,
];

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string | { readonly file?: string } | null };
}

let folder: string;
let faults: ReadonlyMap<string, ReadonlySet<string>>;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function specifier(from: string, target: string): string {
  if (target.startsWith("@")) return target;
  const path = relative(dirname(from), target);
  return path.startsWith(".") ? path : `./${path}`;
}

const wayFile = (file: string, way: number) => file.replace(/\.ts$/, `-${way}.ts`);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tokend-rooms-"));
  for (const name of ["biome.json", "biome.rooms.json"]) {
    copyFileSync(join(ROOT, name), join(folder, name));
  }
  for (const { file, target } of plants()) {
    if (!target.startsWith("@")) {
      write(target, "export const value = 1;\nexport type Value = number;\n");
    }
    for (const [index, way] of WAYS.entries()) {
      write(wayFile(file, index), way(specifier(file, target)));
    }
  }
  write("server/src/base/ring-a.ts", 'import type { B } from "./ring-b.ts";\nexport type A = B;\n');
  write(
    "server/src/base/ring-b.ts",
    'import type { A } from "./ring-a.ts";\nexport type B = A | 1;\n',
  );
  const { stdout } = Bun.spawnSync(
    [
      join(ROOT, "node_modules/.bin/biome"),
      "lint",
      "--vcs-enabled=false",
      "--max-diagnostics=none",
      "--reporter=json",
      ".",
    ],
    { cwd: folder, stderr: "ignore" },
  );
  const { diagnostics }: { diagnostics: Diagnostic[] } = JSON.parse(stdout.toString());
  const found = new Map<string, Set<string>>();
  for (const { category, location } of diagnostics) {
    const { path } = location;
    const file = typeof path === "string" ? path : (path?.file ?? "");
    found.set(file, (found.get(file) ?? new Set()).add(category));
  }
  faults = found;
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isRefused = (file: string) =>
  faults.get(file)?.has("lint/style/noRestrictedImports") === true;

describe("the check", () => {
  test.each(plants().map((plant) => [plant.file, plant.isAllowed ? "admits" : "refuses", plant]))(
    "of %s %s its import, however it is written",
    (_file, _verdict, { file, isAllowed }) => {
      const refused = WAYS.map((_, index) => isRefused(wayFile(file, index)));
      expect(refused).toEqual(WAYS.map(() => !isAllowed));
    },
  );

  test("refuses circles, those of types included", () => {
    for (const name of ["ring-a", "ring-b"]) {
      expect(faults.get(fileOf("base", name))?.has("lint/suspicious/noImportCycles")).toBe(true);
    }
  });

  test("knows every folder of the server", () => {
    const folders = readdirSync(join(ROOT, "server/src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .filter((name) => !["commands", "testing", "modules"].includes(name));
    const known = new Set(Object.keys(ROOMS).map((room) => room.split("/")[0] ?? ""));
    expect(folders.filter((name) => !known.has(name))).toEqual([]);
  });
});
