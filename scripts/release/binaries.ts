import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { compile, PROGRAMS } from "../compile.ts";

/** A platform that has binaries. */
export interface Target {
  /** Ends the names of its binaries. */
  readonly name: string;
  /** As `bun build --target` names it. */
  readonly bun: Bun.Build.CompileTarget;
  /** As Node names them. */
  readonly os: string;
  readonly cpu: string;
  /** The package of LiteSVM's addon. */
  readonly addon: string;
}

export const targets: readonly Target[] = [
  target("linux", "x64", "litesvm-linux-x64-gnu"),
  target("linux", "arm64", "litesvm-linux-arm64-gnu"),
  target("darwin", "x64", "litesvm-darwin-x64"),
  target("darwin", "arm64", "litesvm-darwin-arm64"),
];

function target(os: "linux" | "darwin", cpu: "x64" | "arm64", addon: string): Target {
  return { name: `${os}-${cpu}`, bun: `bun-${os}-${cpu}`, os, cpu, addon };
}

/** Debian's packages `qemu-user-static`, `libgcc-s1-arm64-cross` and `libstdc++6-arm64-cross`. */
const ARM64_LIBRARIES = "/usr/aarch64-linux-gnu";

/**
 * @returns what the command that runs the target's binaries here begins with, nothing or an emulator;
 * null if this machine cannot run them
 */
export function runnerFor({ os, cpu, name }: Target): readonly string[] | null {
  if (process.platform === os && process.arch === cpu) return [];
  const emulator = name === "linux-arm64" ? Bun.which("qemu-aarch64-static") : null;
  const hasLibraries = existsSync(join(ARM64_LIBRARIES, "lib/libgcc_s.so.1"));
  return emulator !== null && hasLibraries ? [emulator, "-L", ARM64_LIBRARIES] : null;
}

/**
 * Builds the programs for a platform from the sources of a commit and the packages of that platform.
 *
 * @param repository a clone
 * @param commit what to build, for example `HEAD`
 * @param folder where the binaries go
 * @returns their names
 * @throws if the platform's addon of LiteSVM is missing or is not in the program that needs it
 */
export async function buildBinaries(
  { name, bun, os, cpu, addon }: Target,
  repository: string,
  commit: string,
  folder: string,
): Promise<string[]> {
  const source = await mkdtemp(join(tmpdir(), `release-${name}-`));
  try {
    await $`git -C ${repository} archive ${commit} | tar -x -C ${source}`.quiet();
    await $`bun install --frozen-lockfile --ignore-scripts --os=${os} --cpu=${cpu}`
      .cwd(source)
      .quiet();
    const addonFile = await addonIn(source, addon);
    await mkdir(folder, { recursive: true });
    for (const program of PROGRAMS) {
      const file = join(folder, `${program}-${name}`);
      await compile(program, file, source, bun);
      if (program === "tokend") await assertHoldsAddon(file, addonFile);
    }
    return PROGRAMS.map((program) => `${program}-${name}`);
  } finally {
    await rm(source, { recursive: true, force: true });
  }
}

/** @returns the path of the platform's addon */
async function addonIn(source: string, addon: string): Promise<string> {
  const pattern = `node_modules/.bun/${addon}@*/node_modules/${addon}/*.node`;
  for await (const path of new Bun.Glob(pattern).scan({ cwd: source, dot: true })) {
    return join(source, path);
  }
  throw new Error(`${addon} is not installed: bun.lock does not have it for this platform`);
}

/**
 * Without the addon the build succeeds, and the program fails when it opens its sandbox.
 *
 * @throws if the file does not hold the addon, byte for byte
 */
export async function assertHoldsAddon(file: string, addon: string): Promise<void> {
  const [program, expected] = await Promise.all([Bun.file(file).bytes(), Bun.file(addon).bytes()]);
  if (expected.length > 0 && Buffer.from(program.buffer).includes(expected)) return;
  throw new Error(`${file} does not hold LiteSVM's addon ${addon}`);
}
