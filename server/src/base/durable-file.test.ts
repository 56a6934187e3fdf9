import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canTrace } from "../../../test/chaos/synced/system-calls.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { writeDurably } from "./durable-file.ts";

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

test.skipIf(!canTrace())("a replaced file and its name are on the disk, in this order", () => {
  using directory = tempDir();
  const log = join(directory.path, "trace.log");
  const path = join(directory.path, "file");
  writeFileSync(path, "old");
  const program = `
    import { writeFileSync } from "node:fs";
    import { writeDurably } from ${JSON.stringify(join(import.meta.dir, "durable-file.ts"))};
    const write = (draft) => writeFileSync(draft, "new");
    writeDurably(${JSON.stringify(path)}, write, { existing: "replace" });
  `;
  const command = ["strace", "-f", "-y", "-e", "trace=rename,renameat,renameat2,fsync", "-o", log];
  expect(Bun.spawnSync([...command, process.execPath, "-e", program]).exitCode).toBe(0);
  const calls = [
    ...readFileSync(log, "utf8").matchAll(/(fsync|rename)[a-z0-9]*\(.*?([^/"<>]+)[">]/g),
  ].map(([, call]) => call);
  expect(calls).toEqual(["fsync", "rename", "fsync"]);
  expect(readFileSync(path, "utf8")).toBe("new");
});
