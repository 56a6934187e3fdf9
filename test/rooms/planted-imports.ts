import { ROOMS } from "../../scripts/rooms.ts";

export interface PlantedImport {
  readonly file: string;
  readonly target: string;
  readonly isAllowed: boolean;
}

const flat = (path: string) => path.replaceAll("/", "-").replace(/^@|\.ts$/g, "");

const planted = (folder: string, target: string, isAllowed: boolean): PlantedImport => ({
  file: `${folder}/plant-${flat(target)}.ts`,
  target,
  isAllowed,
});

const folders = Object.keys(ROOMS).map((room) => [room, room.replace("*", "tokens")] as const);

/** Each room imports each room, what none may import, and `shared/`, which all others may. */
function fromEachRoom(): PlantedImport[] {
  return folders.flatMap(([room, folder]) => [
    ...folders
      .filter(([to]) => to !== room)
      .map(([to, toFolder]) =>
        planted(folder, `${toFolder}/target.ts`, ROOMS[room]?.includes(to) === true),
      ),
    planted(folder, `${folder}/testing/target.ts`, false),
    planted(folder, `${folder}/new/inner/target.ts`, false),
    planted(folder, "server/src/testing/target.ts", false),
    planted(folder, "@tokenctl/cli", false),
    planted(folder, "@tokenctl/server/src/server.ts", false),
    planted(folder, "@tokenctl/shared/limits", !room.startsWith("shared/")),
    planted(folder, "@tokenctl/sdk", /^(?:cli|console)\/|modules\/proofs$/.test(room)),
  ]);
}

const STATED = [
  planted("server/src/base", "server/src/domain/stated.ts", false),
  planted("server/src/domain", "server/src/base/stated.ts", false),
  planted("server/src/store", "server/src/store/sqlite/stated.ts", false),
  planted("server/src/launchpad", "server/src/launchpad/chain/stated.ts", false),
  planted("server/src/modules/tokens", "server/src/modules/health/stated.ts", false),
  planted("server/src/metrics", "server/src/modules/health/stated.ts", true),
  planted("server/src/commands", "server/src/worker/stated.ts", false),
  planted("server/src", "server/src/worker/stated.ts", true),
  planted("sdk/src", "server/src/base/stated.ts", false),
  planted("cli/src", "sdk/src/stated.ts", false),
  planted("console/src/data", "console/src/parts/stated.ts", false),
];

/** Folders without a rule import nothing beyond themselves and `shared/`. */
function newFolders(): PlantedImport[] {
  const server = [
    "new",
    "new/inner",
    "modules/a/b",
    "launchpad/new",
    "localnet/new",
    "localnet/rpc2",
  ];
  return [...server.map((folder) => `server/src/${folder}`), "cli/src/new", "sdk/src/new"].flatMap(
    (folder) => [
      planted(folder, "server/src/worker/target.ts", false),
      planted(folder, "server/src/base/target.ts", false),
      planted(folder, "@tokenctl/sdk", false),
      planted(folder, "@tokenctl/shared/limits", true),
    ],
  );
}

/** Imports that the rules must admit or refuse. */
export const PLANTED_IMPORTS: readonly PlantedImport[] = [
  ...fromEachRoom(),
  ...STATED,
  ...newFolders(),
];
