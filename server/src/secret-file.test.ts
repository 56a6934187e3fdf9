import { expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOrCreateSecret } from "./secret-file.ts";
import { tempDir } from "./testing/temp-dir.ts";

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

test("default: it is made once, for its owner alone, and read ever after", () => {
  using directory = tempDir();
  const path = join(directory.path, "jwt.secret");
  const secret = readOrCreateSecret(path);
  expect(secret).toHaveLength(32);
  expect(mode(path)).toBe("600");
  expect(readOrCreateSecret(path)).toEqual(secret);
  expect(readdirSync(directory.path)).toEqual(["jwt.secret"]);
  expect(readOrCreateSecret(join(directory.path, "other"))).not.toEqual(secret);
});

test("behavior: what a crash left half-written is replaced", () => {
  using directory = tempDir();
  const path = join(directory.path, "jwt.secret");
  writeFileSync(`${path}.new`, "abc", { mode: 0o600 });
  expect(readOrCreateSecret(path)).toHaveLength(32);
  expect(readFileSync(path, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
});

test.each(["", "abcd", "zz".repeat(32), "ab".repeat(33)])(
  "behavior: %j is no secret, and stays as it is",
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

test.each([0o604, 0o602, 0o644, 0o777])(
  "behavior: one that everyone can open (mode %o) is refused, with the way out",
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

function catchMessage(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error("it was not refused");
}
