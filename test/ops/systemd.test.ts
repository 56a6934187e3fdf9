import { expect, setDefaultTimeout, test } from "bun:test";
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../server/src/config/config.ts";
import { installBinaries } from "../support/binaries.ts";
import { ROOT, run, startProcess, startTokend, TOKEND, tempDir } from "../support/processes.ts";
import { findTool, use } from "./tool.ts";

setDefaultTimeout(300_000);

const UNITS = join(ROOT, "ops/systemd");
const UNIT = join(UNITS, "tokend.service");
const analyze = findTool("systemd-analyze");
const strace = findTool("strace");

/** Copies units, with a program that is there in the place of ours. @returns their paths */
function copyUnits(folder: string, ...names: string[]): string[] {
  return names.map((name) => {
    const text = readFileSync(join(UNITS, name), "utf8");
    const copy = join(folder, name);
    writeFileSync(copy, text.replaceAll(/\/usr\/local\/bin\/[\w-]+/g, "/bin/true"));
    return copy;
  });
}

async function expectNothingWrong(...units: string[]): Promise<void> {
  const { exitCode, stdout, stderr } = await run([analyze.path, "verify", ...units], ROOT);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "", stderr: "" });
}

test.skipIf(analyze.isMissing)("systemd finds nothing wrong in the units", async () => {
  using folder = tempDir();
  const [unit = ""] = copyUnits(folder.path, "tokend.service");
  await expectNothingWrong(unit);
  // The threshold counts in tenths.
  await use(analyze, "security", "--offline=true", "--threshold=20", unit);
  const backup = copyUnits(folder.path, "tokend-backup.timer", "tokend-backup.service");
  await expectNothingWrong(backup[0] ?? "");
  const [signer = ""] = copyUnits(folder.path, "launch-signer.service");
  mkdirSync(`${unit}.d`);
  copyFileSync(`${UNIT}.d/launch-signer.conf`, join(`${unit}.d`, "launch-signer.conf"));
  await expectNothingWrong(unit, signer);
});

test("tokend-operator runs a command with what the unit has", async () => {
  using folder = tempDir();
  const asked = join(folder.path, "systemd-run");
  writeFileSync(asked, '#!/bin/sh\nfor argument in "$@"; do printf "%s\\n" "$argument"; done\n', {
    mode: 0o755,
  });
  writeFileSync(join(folder.path, "launch.json"), "");
  const env = { PATH: `${folder.path}:${process.env.PATH}`, TOKEND_ETC: folder.path };
  const wrapper = join(ROOT, "ops/systemd/tokend-operator");
  const { exitCode, stdout } = await run([wrapper, "admin", "status", "--json"], ROOT, env);
  expect(exitCode).toBe(0);
  const unit = readFileSync(UNIT, "utf8");
  for (const line of ["DynamicUser=yes", "StateDirectoryMode=0700", "UMask=0077"]) {
    expect(unit).toContain(`\n${line}\n`);
    expect(stdout).toContain(`-p\n${line}\n`);
  }
  expect(stdout).toContain(`-p\nEnvironmentFile=${folder.path}/tokend.env\n`);
  expect(stdout).toContain(`-p\nLoadCredential=launch.json:${folder.path}/launch.json\n`);
  expect(stdout).toEndWith("tokend\nadmin\nstatus\n--json\n");
});

test("tokend-backup makes a backup, restores it to check it, removes old ones, and fails without a whole one", async () => {
  using folder = tempDir();
  const dataDir = join(folder.path, "data");
  const backups = join(folder.path, "backups");
  mkdirSync(backups);
  const old = join(backups, "tokend-2020-01-01T000000Z.sqlite.mint-secret");
  writeFileSync(old, "");
  utimesSync(old, 0, 0);
  const server = await startTokend(TOKEND, folder.path);
  const program = join(folder.path, "tokend");
  writeFileSync(program, `#!/bin/sh\nexec ${TOKEND.join(" ")} "$@"\n`, { mode: 0o755 });
  const env = { PATH: process.env.PATH ?? "", TOKEND: program, DATA_DIR: dataDir };
  const script = join(ROOT, "ops/systemd/tokend-backup");
  const made = await run([script, backups], ROOT, env);
  expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("sqlite is whole") });
  await server[Symbol.asyncDispose]();
  expect(
    readdirSync(backups)
      .map((name) => name.replace(/.*Z/, ""))
      .toSorted(),
  ).toEqual([".sqlite", ".sqlite.localnet", ".sqlite.mint-secret"]);
  const nowhere = await run([script, join(folder.path, "unmounted")], ROOT, env);
  expect(nowhere).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("is its disk mounted?"),
  });
  writeFileSync(program, `#!/bin/sh\n[ "$1" = backup ] && exec ${TOKEND.join(" ")} "$@"\nexit 3\n`);
  // Elsewhere: a backup of the same second has the same name.
  expect((await run([script, folder.path], ROOT, env)).exitCode).toBe(3);
});

test("systemd waits for the longest DRAIN_SECONDS and the ten seconds of a stop, and stops no server whose decoder ran out of memory", () => {
  const unit = readFileSync(UNIT, "utf8");
  expect(unit).toMatch(/^OOMPolicy=continue$/m);
  const [, seconds = "0"] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? [];
  const longest = { ...process.env, DRAIN_SECONDS: "300" };
  expect(Number(seconds)).toBe(readConfig(longest).drainSeconds + 10);
  expect(() => readConfig({ ...longest, DRAIN_SECONDS: "301" })).toThrow("DRAIN_SECONDS");
});

test.skipIf(analyze.isMissing || strace.isMissing)(
  "a server, from its start to its end, makes only system calls that the unit allows",
  async () => {
    using folder = tempDir();
    const { tokend, tokenctl } = await installBinaries(folder.path);
    const trace = join(folder.path, "trace");
    await using server = await startProcess([strace.path, "-fqq", "-o", trace, tokend], {
      cwd: folder.path,
      env: { PORT: "0", DATA_DIR: join(folder.path, "data") },
      ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
    });
    const env = {
      TOKENCTL_API_URL: server.url,
      TOKENCTL_KEYPAIR: join(folder.path, "agent.json"),
    };
    for (const args of [["keygen"], ["launch", "--name", "Traced", "--ticker", "TRACED"]]) {
      expect((await run([tokenctl, ...args], folder.path, env)).exitCode).toBe(0);
    }
    const [pid = ""] = /^\d+/.exec(readFileSync(trace, "utf8")) ?? [];
    process.kill(Number(pid), "SIGTERM");
    expect(await server.exited).toBe(0);

    // A thread that is killed in a call leaves a negative number there, the kernel's mark to restart it.
    const named = /(?<=^\d+ +)(?!syscall_0xf{8})[a-z]\w*(?=\()/gm;
    const calls = new Set(readFileSync(trace, "utf8").match(named));
    const allowed = await members("@system-service");
    const refused = new Set([...(await members("@privileged")), ...(await members("@resources"))]);
    // SQLite and what takes a lock call them as root alone.
    for (const call of ["fchown", "lchown"]) refused.delete(call);
    expect(calls.size).toBeGreaterThan(30);
    expect([...calls].filter((call) => !allowed.has(call) || refused.has(call))).toEqual([]);
  },
);

/** @returns the system calls of a set of systemd's */
async function members(set: string): Promise<Set<string>> {
  const text = await use(analyze, "syscall-filter", "--no-pager", set);
  const names = text.split("\n").flatMap((line) => /^ +(@?[\w-]+)$/.exec(line)?.[1] ?? []);
  const all = await Promise.all(
    names.map(async (name) => (name.startsWith("@") ? [...(await members(name))] : [name])),
  );
  return new Set(all.flat());
}
