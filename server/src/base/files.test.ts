import { expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { canTrace } from "../../../test/chaos/synced/system-calls.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { readOrCreateSecret, takeLock, writeDurably } from "./files.ts";

const write = (text: string) => (draft: string) => writeFileSync(draft, text);
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("a new file is its owner's alone unless a mode is given", () => {
  using directory = tempDir();
  const [secret, open] = [join(directory.path, "secret"), join(directory.path, "open")];
  writeDurably(secret, write("new"), { existing: "refuse" });
  writeDurably(open, write("new"), { existing: "refuse", mode: 0o644 });
  expect([mode(secret), mode(open)]).toEqual(["600", "644"]);
  expect(readFileSync(secret, "utf8")).toBe("new");
  expect(readdirSync(directory.path).sort()).toEqual(["open", "secret"]);
});

test("of two that make a file at the same time, only the one whose content is there succeeds", async () => {
  using directory = tempDir();
  const path = join(directory.path, "wallet");
  const start = async (steps: string) => {
    const script = `import { writeDurably } from ${FILES};
      import { readSync, writeFileSync } from "node:fs";
      const wait = () => { console.log("waits"); readSync(0, Buffer.alloc(1)); };
      writeDurably(${JSON.stringify(path)}, (draft) => { ${steps} }, { existing: "refuse" });`;
    const command = [process.execPath, "-e", script];
    const child = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    const waits = child.stdout.getReader();
    await waits.read();
    return () => {
      child.stdin.end();
      return child.exited;
    };
  };
  const endFirst = await start('writeFileSync(draft, "first"); wait();');
  const endSecond = await start('wait(); writeFileSync(draft, "second");');
  expect(await endFirst()).toBe(0);
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(await endSecond()).toBe(1);
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(readdirSync(directory.path)).toEqual(["wallet"]);
});

test("an existing file is refused or replaced, as the caller says", () => {
  using directory = tempDir();
  const path = join(directory.path, "file");
  writeFileSync(path, "old");
  expect(() => writeDurably(path, write("new"), { existing: "refuse" })).toThrow(
    `${path} exists already`,
  );
  expect(readFileSync(path, "utf8")).toBe("old");
  writeDurably(path, write("new"), { existing: "replace" });
  expect(readFileSync(path, "utf8")).toBe("new");
  expect(readdirSync(directory.path)).toEqual(["file"]);
});

test.each(["refuse", "replace"] as const)(
  "a write that fails leaves the folder as it was (%s)",
  (existing) => {
    using directory = tempDir();
    const kept = join(directory.path, "kept");
    writeFileSync(kept, "old");
    const path = existing === "replace" ? kept : join(directory.path, "new");
    const fail = (draft: string) => {
      writeFileSync(draft, "half");
      throw new Error("the disk is full");
    };
    expect(() => writeDurably(path, fail, { existing })).toThrow("the disk is full");
    expect(readdirSync(directory.path)).toEqual(["kept"]);
    expect(readFileSync(kept, "utf8")).toBe("old");
  },
);

/** Runs a program. @returns its system calls of these kinds, as strace writes them */
function trace(folder: string, calls: string, program: string, ...more: string[]): string {
  const log = join(folder, "trace.log");
  const command = ["strace", "-f", "-y", "-e", `trace=${calls}`, ...more, "-o", log];
  expect(Bun.spawnSync([...command, process.execPath, "-e", program]).exitCode).toBe(0);
  return readFileSync(log, "utf8");
}

const FILES = JSON.stringify(join(import.meta.dir, "files.ts"));

test("a secret is made once, for its owner alone, and read from then on", () => {
  using directory = tempDir();
  const path = join(directory.path, "jwt.secret");
  const secret = readOrCreateSecret(path);
  expect(secret).toHaveLength(32);
  expect(mode(path)).toBe("600");
  expect(readOrCreateSecret(path)).toEqual(secret);
  expect(readdirSync(directory.path)).toEqual(["jwt.secret"]);
  expect(readOrCreateSecret(join(directory.path, "other"))).not.toEqual(secret);
});

test.each(["", "abcd", "zz".repeat(32), "ab".repeat(33)])(
  "a file with %j is refused and stays as it is",
  (text) => {
    using directory = tempDir();
    const path = join(directory.path, "jwt.secret");
    writeFileSync(path, text, { mode: 0o600 });
    const message = catchMessage(() => readOrCreateSecret(path));
    expect(message).toContain(`${path} does not hold 32 bytes in hex`);
    if (text !== "") expect(message).not.toContain(text);
    expect(readFileSync(path, "utf8")).toBe(text);
  },
);

test.each([0o604, 0o620, 0o777])(
  "a secret that others can open (mode %o) is refused with the command that helps",
  (open) => {
    using directory = tempDir();
    const path = join(directory.path, "jwt.secret");
    const secret = readOrCreateSecret(path);
    chmodSync(path, open);
    const message = catchMessage(() => readOrCreateSecret(path));
    expect(message).toContain(`chmod 600 ${path}`);
    expect(message).not.toContain(Buffer.from(secret).toString("hex"));
    chmodSync(path, 0o600);
    expect(readOrCreateSecret(path)).toEqual(secret);
  },
);

test.skipIf(process.geteuid?.() !== 0)(
  "another user's secret is refused, and stays its own",
  () => {
    using directory = tempDir();
    const path = join(directory.path, "jwt.secret");
    readOrCreateSecret(path);
    chownSync(path, 12_345, 12_345);
    expect(catchMessage(() => readOrCreateSecret(path))).toContain(
      `${path} belongs to another user (uid 12345)`,
    );
    expect(statSync(path).uid).toBe(12_345);
  },
);

test("a link is refused, and its target is neither read nor made", () => {
  using directory = tempDir();
  const path = join(directory.path, "jwt.secret");
  const elsewhere = join(directory.path, "elsewhere");
  symlinkSync(elsewhere, path);
  const refusal = `${path} is a symbolic link: put the file itself there.`;
  expect(catchMessage(() => readOrCreateSecret(path))).toBe(refusal);
  expect(readdirSync(directory.path)).toEqual(["jwt.secret"]);
  writeFileSync(elsewhere, "ab".repeat(32), { mode: 0o600 });
  expect(catchMessage(() => readOrCreateSecret(path))).toBe(refusal);
});

test("a draft that an earlier process of the same number left behind is removed, and what it links to stays", () => {
  using directory = tempDir();
  const [path, elsewhere] = [join(directory.path, "one"), join(directory.path, "elsewhere")];
  writeFileSync(`${path}.${process.pid}.part`, "abc", { mode: 0o600 });
  expect(readOrCreateSecret(path)).toHaveLength(32);
  expect(readFileSync(path, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  writeFileSync(elsewhere, "another's");
  symlinkSync(elsewhere, join(directory.path, `two.${process.pid}.part`));
  expect(readOrCreateSecret(join(directory.path, "two"))).toHaveLength(32);
  expect(readFileSync(elsewhere, "utf8")).toBe("another's");
  expect(readdirSync(directory.path).sort()).toEqual(["elsewhere", "one", "two"]);
});

test("a folder and a named pipe are refused without waiting", () => {
  using directory = tempDir();
  const folder = join(directory.path, "folder");
  mkdirSync(folder);
  expect(catchMessage(() => readOrCreateSecret(folder))).toContain("is not a regular file");
  const pipe = join(directory.path, "pipe");
  expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
  // A process that waits for a pipe's writer would never end.
  const child = Bun.spawnSync([process.execPath, "-e", reading(pipe)], { timeout: 10_000 });
  expect(child.stderr.toString()).toContain(`${pipe} is not a regular file`);
});

const reading = (path: string) =>
  `import { readOrCreateSecret } from ${FILES}; readOrCreateSecret(${JSON.stringify(path)});`;

test.skipIf(!canTrace())("a new secret and its name are on the disk before it is used", () => {
  using directory = tempDir();
  const path = join(directory.path, "jwt.secret");
  const log = trace(directory.path, "openat,open,link,linkat,fsync", reading(path));
  const calls = [...log.matchAll(/(fsync|link)\(.*?([^/"<>]+)["|>](?:\)| <)/g)];
  expect(calls.map(([, call, name]) => `${call} ${name}`)).toEqual([
    expect.stringMatching(/^fsync jwt\.secret\.\d+\.part$/),
    "link jwt.secret",
    `fsync ${basename(directory.path)}`,
  ]);
  expect(log).toMatch(/jwt\.secret\.\d+\.part", \S*O_CREAT\|O_EXCL\S*O_NOFOLLOW\S*, 0600\)/);
});

function catchMessage(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error("the file was not refused");
}

const IN_USE = "another has it";

test("a lock is held by one at a time, and can be taken again after its release", () => {
  using directory = tempDir();
  const path = join(directory.path, "file.lock");
  const lock = takeLock(path, IN_USE);
  expect(() => takeLock(path, IN_USE)).toThrow(IN_USE);
  lock.release();
  takeLock(path, IN_USE).release();
});

const isRoot = process.geteuid?.() === 0;

test("a lock that this user can only read is refused: it would exclude no one", () => {
  using directory = tempDir();
  chmodSync(directory.path, 0o777);
  const path = join(directory.path, "file.lock");
  writeFileSync(path, "", { mode: 0o444 });
  if (isRoot) process.seteuid?.(65_534);
  try {
    expect(() => takeLock(path, IN_USE)).toThrow(`${path} cannot be written: give it to this user`);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test.skipIf(!isRoot)("a lock that root takes belongs to the owner of its folder", () => {
  using directory = tempDir();
  chownSync(directory.path, 12_345, 12_345);
  takeLock(join(directory.path, "file.lock"), IN_USE).release();
  for (const name of readdirSync(directory.path))
    expect(statSync(join(directory.path, name)).uid).toBe(12_345);
});

test.skipIf(!isRoot)("a lock that is a link gives the owner of its folder no file of root", () => {
  using directory = tempDir();
  const target = join(directory.path, "root's");
  writeFileSync(target, "");
  const folder = join(directory.path, "theirs");
  mkdirSync(folder);
  chownSync(folder, 12_345, 12_345);
  symlinkSync(target, join(folder, "file.lock"));
  takeLock(join(folder, "file.lock"), IN_USE).release();
  expect(statSync(target).uid).toBe(0);
});

test("a lock that cannot be made is not taken for one that another holds", () => {
  using directory = tempDir();
  const path = join(directory.path, "no folder", "file.lock");
  expect(() => takeLock(path, IN_USE)).toThrow("unable to open database file");
  expect(() => takeLock(path, IN_USE)).not.toThrow(IN_USE);
});
