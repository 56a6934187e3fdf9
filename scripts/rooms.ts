/**
 * The table of rooms: which folder may import from which. `bun scripts/rooms.ts` writes the rules that
 * biome reads, `biome.rooms.json`; `bun install` and `bun run lint` run it.
 */
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";

type Rooms = Readonly<Record<string, readonly string[]>>;

/** What is done on a chain, whichever it is. */
const LAUNCHPAD = ["launchpad", "launchpad/chain", "launchpad/signing"];

/** What a room of the server may import beside itself, `base`, `domain` and `shared`. */
const SERVER: Rooms = {
  config: [],
  solana: [],
  localnet: ["localnet/rpc"],
  "localnet/rpc": ["localnet"],
  store: ["store/migrations"],
  "store/sqlite": ["store"],
  "store/postgres": ["store"],
  data: ["config", "store", "store/sqlite", "store/postgres"],
  http: ["config"],
  launchpad: [],
  "launchpad/chain": ["launchpad", "solana"],
  "launchpad/signing": ["launchpad", "launchpad/chain", "solana"],
  "launchpad/meteora": ["launchpad", "solana"],
  "launchpad/local": [
    "launchpad",
    "launchpad/chain",
    "launchpad/signing",
    "solana",
    "localnet",
    "localnet/rpc",
  ],
  worker: ["store", ...LAUNCHPAD],
  modules: ["http", "store", ...LAUNCHPAD, "launchpad/local"],
  "modules/*": ["http", "store", ...LAUNCHPAD],
  "modules/console": ["http", "store", "modules", "../../console/dist/console.json"],
  "modules/claims": ["http", "store", ...LAUNCHPAD, "modules/signing"],
  "modules/launches": ["http", "store", ...LAUNCHPAD, "modules/signing"],
  "modules/signing": ["http", "store", ...LAUNCHPAD, "solana"],
  "modules/proofs": ["http", "store", "launchpad", "@tokenctl/sdk"],
  metrics: ["config", "http", "launchpad", "modules/health", "solana", "store"],
};

const NOT_FOR_COMMANDS = ["modules", "modules/*", "worker", "metrics"];
const FOR_COMMANDS = Object.keys(SERVER).filter((room) => !NOT_FOR_COMMANDS.includes(room));

/** Each folder with sources, and the folders, files and packages that it may import beside itself. */
export const ROOMS: Rooms = {
  "server/src/base": ["server/package.json", "@tokenctl/shared/**"],
  "server/src/domain": ["@tokenctl/shared/**"],
  ...within("server/src", ["base", "domain", "@tokenctl/shared/**"], {
    ...SERVER,
    commands: [".", "commands/*", ...FOR_COMMANDS],
    "commands/*": [".", "commands", ...FOR_COMMANDS],
    ".": ["commands", "commands/*", ...Object.keys(SERVER)],
  }),
  ...within("sdk/src", ["@tokenctl/shared/**"], {
    ".": ["claim-check", "explain", "internal", "verify"],
    internal: [".", "claim-check"],
    "claim-check": [".", "internal"],
    explain: [".", "claim-check", "internal"],
    verify: [".", "claim-check", "internal"],
  }),
  ...within("cli/src", ["@tokenctl/shared/**", "@tokenctl/sdk"], {
    ".": ["grammar", "mcp", "../package.json"],
    grammar: [".", "commands", "mcp"],
    commands: [".", "mcp"],
    mcp: [".", "grammar"],
  }),
  ...within("console/src", ["@tokenctl/shared/**", "@tokenctl/sdk"], {
    ".": ["data", "parts", "screens"],
    data: [],
    parts: ["data"],
    screens: [".", "data", "parts"],
  }),
  "signers/src": ["@tokenctl/shared/**"],
  "shared/src": ["skills/tokenctl", "skills/tokenctl/references", "shared/src/contract"],
  "shared/src/contract": ["shared/src"],
  "shared/src/programs": ["shared/src"],
};

/** @returns rooms by their path from the root, each with what all of them may import */
function within(root: string, all: readonly string[], rooms: Rooms): Rooms {
  const path = (name: string) => (name.startsWith("@") ? name : join(root, name));
  return Object.fromEntries(
    Object.entries(rooms).map(([room, own]) => [path(room), [...all, ...own].map(path)]),
  );
}

/** How a file of a room writes the imports of a folder, file or package. */
function specifier(room: string, name: string): string {
  if (name.startsWith("@")) return name;
  const path = relative(room, name);
  const from = path.startsWith(".") ? path : `./${path}`;
  return /\.\w+$/.test(from) ? from : `${from}/*`;
}

/** One rule: files of a folder import only what it lists. */
function override(includes: string, allowed: readonly string[], message: string) {
  const group = ["./*/**", "../**", "@tokenctl/**", ...allowed.map((name) => `!${name}`)];
  return {
    includes: [includes, "!**/*.test.ts", "!**/testing/**"],
    linter: {
      rules: {
        style: {
          noRestrictedImports: {
            level: "error",
            options: { patterns: [{ group: [...group, "**/testing/**"], message }] },
          },
        },
      },
    },
  };
}

/** @returns biome's configuration, as text */
export function biomeRules(): string {
  const rules = Object.entries(ROOMS).map(([room, allowed]) =>
    override(
      `${room}/*`,
      allowed.map((name) => specifier(room, name)),
      `${room} may import ${["itself", ...allowed].join(", ")}: see scripts/rooms.ts.`,
    ),
  );
  const isNoRoom = "This folder is no room yet: list it in scripts/rooms.ts.";
  const overrides = [override("*/src/**", ["@tokenctl/shared/**"], isNoRoom), ...rules];
  const noImportCycles = { level: "error", options: { ignoreTypes: false } };
  return JSON.stringify({ linter: { rules: { suspicious: { noImportCycles } } }, overrides });
}

if (import.meta.main) writeFileSync(join(import.meta.dir, "../biome.rooms.json"), biomeRules());
