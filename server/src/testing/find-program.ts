import { appendFileSync } from "node:fs";

const PACKAGES = {
  bash: "bash",
  buildah: "buildah",
  caddy: "caddy",
  chromium: "chromium-headless-shell",
  fish: "fish",
  nginx: "nginx-light",
  node: "nodejs",
  postgres: "postgresql",
  prlimit: "util-linux",
  promtool: "prometheus",
  python3: "python3",
  strace: "strace",
  "systemd-analyze": "systemd",
  zsh: "zsh",
} as const;
/** Names of a program, the best first: Chromium without windows takes a quarter less CPU time. */
const NAMES: Partial<Record<Program, readonly string[]>> = {
  chromium: ["chromium-headless-shell", "chromium-browser", "chromium"],
};
/** What Debian does not have, and how to get it. */
const COMMANDS = {
  "Meteora's programs": "tokend localnet pull --rpc URL",
  schemathesis: "pip install schemathesis",
  "solana-test-validator":
    "cargo install agave-validator --version 4.2.2 --locked --bin solana-test-validator --features agave-unstable-api",
} as const;

export type Missing = keyof typeof PACKAGES | keyof typeof COMMANDS;
export type Program = Exclude<Missing, "Meteora's programs">;

/** Names the validator's program, if it is not on the path. */
const { VALIDATOR } = process.env;

const noted = new Set<string>();

/** Finds a program of this machine; without it, notes that tests are skipped. */
export function findProgram(program: Program): string | null {
  // Debian keeps servers off a user's PATH.
  const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
  const names = NAMES[program] ?? [program];
  for (const name of program === "solana-test-validator" && VALIDATOR ? [VALIDATOR] : names) {
    const path = Bun.which(name, { PATH });
    if (path !== null) return path;
  }
  noteMissing(program);
  return null;
}

/** Notes that tests are skipped: for the end of `bun run test`, otherwise on stderr. */
export function noteMissing(missing: Missing): void {
  // The bench looks for PostgreSQL too, and says itself what it skips.
  if (process.env.NODE_ENV !== "test" || noted.has(missing)) return;
  noted.add(missing);
  const list = process.env.MISSING_PROGRAMS;
  if (list === undefined) console.warn(howToInstall([missing]));
  else appendFileSync(list, `${missing}\n`);
}

/** @returns the line that says what tests did not find, and what installs it */
export function howToInstall(missing: readonly Missing[]): string {
  const packages = missing.flatMap((one) => (one in PACKAGES ? [PACKAGES[one as Packaged]] : []));
  const commands = [
    ...(packages.length > 0 ? [`apt-get install ${packages.join(" ")}`] : []),
    ...missing.flatMap((one) => (one in COMMANDS ? [COMMANDS[one as keyof typeof COMMANDS]] : [])),
  ];
  return `Tests were skipped for lack of ${missing.join(", ")}. To run them: ${commands.join("; ")}`;
}

type Packaged = keyof typeof PACKAGES;
