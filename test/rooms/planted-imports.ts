import { ROOMS } from "./rooms.ts";

/** An import that is written into a temporary copy of the repository. */
export interface PlantedImport {
  /** The file that imports. */
  readonly file: string;
  /** The file or package that it imports. */
  readonly target: string;
  readonly isAllowed: boolean;
}

const inServer = (folder: string, name: string) => `server/src/${folder}/${name}.ts`;

/** Parts of a path in a file's name. */
const flat = (path: string) => path.replaceAll("/", "-").replace(/^@|\.ts$/g, "");

function planted(folder: string, target: string, isAllowed: boolean): PlantedImport {
  return { file: `${folder}/plant-${flat(target)}.ts`, target, isAllowed };
}

/** Each room imports each room. */
function betweenRooms(): PlantedImport[] {
  const rooms = Object.entries(ROOMS);
  return rooms.flatMap(([from, allowed]) =>
    rooms
      .filter(([to]) => to !== from)
      .map(([to]) =>
        planted(
          `server/src/${from}`,
          inServer(to, "target"),
          (to === "domain" && from !== "base") ||
            (to === "base" && from !== "domain") ||
            allowed.includes(to),
        ),
      ),
  );
}

/** Each room imports what none may import, and `shared/`, which all may. */
function fromEachRoom(): PlantedImport[] {
  const forbidden = (room: string) => [
    inServer(room, "testing/target"),
    inServer("base", "testing/target"),
    "server/src/testing/target.ts",
    "server/src/server.ts",
    "server/src/new/target.ts",
    "sdk/src/target.ts",
    "@tokenctl/sdk",
    "@tokenctl/cli",
    "@tokenctl/server/src/server.ts",
  ];
  return Object.keys(ROOMS).flatMap((room) => [
    ...[...new Set(forbidden(room))].map((to) => planted(`server/src/${room}`, to, false)),
    planted(`server/src/${room}`, "@tokenctl/shared/limits", true),
  ]);
}

/** Composition imports every room, and no client. */
function composition(): PlantedImport[] {
  return [
    ...Object.keys(ROOMS).map((room) => planted("server/src", inServer(room, "target"), true)),
    planted("server/src", "server/src/testing/target.ts", false),
    planted("server/src", "sdk/src/target.ts", false),
    planted("server/src", "@tokenctl/sdk", false),
  ];
}

const NOT_FOR_COMMANDS = ["worker", "modules/tokens", "modules/health", "metrics"];

function commands(): PlantedImport[] {
  return ["server/src/commands", "server/src/commands/doctor"].flatMap((folder) => [
    ...Object.keys(ROOMS).map((room) =>
      planted(folder, inServer(room, "target"), !NOT_FOR_COMMANDS.includes(room)),
    ),
    planted(folder, "server/src/testing/target.ts", false),
    planted(folder, "sdk/src/target.ts", false),
    planted(folder, "@tokenctl/sdk", false),
  ]);
}

/** Folders that nobody has given a rule import nothing beyond themselves and `shared/`. */
function newFolders(): PlantedImport[] {
  const folders = ["new", "new/inner", "modules", "launchpad/new", "localnet/new", "localnet/rpc2"];
  return [
    ...folders.flatMap((folder) => [
      planted(`server/src/${folder}`, inServer("worker", "target"), false),
      planted(`server/src/${folder}`, inServer("base", "target"), false),
      planted(`server/src/${folder}`, "@tokenctl/sdk", false),
      planted(`server/src/${folder}`, "@tokenctl/shared/limits", true),
    ]),
    planted("cli/src/new", "server/src/base/target.ts", false),
    planted("cli/src/new", "sdk/src/target.ts", false),
  ];
}

function clients(): PlantedImport[] {
  const sdk = ["sdk/src", "sdk/src/internal", "sdk/src/claim-check"];
  const cli = [
    "cli/src",
    "cli/src/commands",
    "cli/src/commands/dev",
    "cli/src/mcp",
    "cli/src/mcp/tools",
  ];
  return [
    ...sdk.flatMap((folder) => [
      planted(folder, "@tokenctl/shared/limits", true),
      planted(folder, "server/src/base/target.ts", false),
      planted(folder, "@tokenctl/cli", false),
      planted(folder, "sdk/src/testing/target.ts", false),
    ]),
    ...cli.flatMap((folder) => [
      planted(folder, "@tokenctl/shared/limits", true),
      planted(folder, "@tokenctl/sdk", true),
      planted(folder, "sdk/src/target.ts", false),
      planted(folder, "server/src/base/target.ts", false),
      planted(folder, "cli/src/testing/target.ts", false),
    ]),
    ...consolePlants(),
    planted("shared/src", "@tokenctl/sdk", false),
    planted("shared/src", "server/src/base/target.ts", false),
    planted("shared/src", "shared/src/testing/target.ts", false),
  ];
}

function consolePlants(): PlantedImport[] {
  const may: Readonly<Record<string, readonly string[]>> = {
    data: [],
    parts: ["data"],
    screens: ["data", "parts"],
  };
  return Object.entries(may).flatMap(([from, allowed]) => [
    ...Object.keys(may)
      .filter((to) => to !== from)
      .map((to) =>
        planted(`console/src/${from}`, `console/src/${to}/target.ts`, allowed.includes(to)),
      ),
    planted(`console/src/${from}`, "@tokenctl/sdk", true),
    planted(`console/src/${from}`, "@tokenctl/shared/limits", true),
    planted(`console/src/${from}`, "sdk/src/target.ts", false),
    planted(`console/src/${from}`, "server/src/base/target.ts", false),
  ]);
}

/** Imports that the rules must admit or refuse. */
export const PLANTED_IMPORTS: readonly PlantedImport[] = [
  ...betweenRooms(),
  ...fromEachRoom(),
  ...composition(),
  ...commands(),
  ...newFolders(),
  ...clients(),
];
