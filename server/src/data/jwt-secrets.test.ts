import { expect, test } from "bun:test";
import { chmodSync, renameSync } from "node:fs";
import { dataFiles } from "../config/config.ts";
import { Sessions } from "../modules/auth/sessions.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { jwtSecrets } from "./jwt-secrets.ts";

const OLD = "the secret of last year, long enough";
const NEW = "the secret of this year, long enough";
const NONE = { jwtSecret: null, jwtSecretPrevious: null };

/** The sessions of a server that is started with this configuration. */
function sessions(config: Parameters<typeof jwtSecrets>[0], clock = new ManualClock()): Sessions {
  return new Sessions(clock, jwtSecrets(config));
}

test("a changed secret logs no agent out while the previous one is set", async () => {
  using dir = tempDir();
  const at = { ...NONE, dataDir: dir.path };
  const token = await sessions({ ...at, jwtSecret: OLD }).issue("agent");
  const rotated = sessions({ ...at, jwtSecret: NEW, jwtSecretPrevious: OLD });
  expect(await rotated.verify(token)).toBe("agent");
  expect(await sessions({ ...at, jwtSecret: NEW }).verify(token)).toBeNull();
});

test("the previous secret only verifies, and only until its tokens expire", async () => {
  using dir = tempDir();
  const clock = new ManualClock();
  const at = { ...NONE, dataDir: dir.path };
  const old = sessions({ ...at, jwtSecret: OLD }, clock);
  const rotated = sessions({ ...at, jwtSecret: NEW, jwtSecretPrevious: OLD }, clock);
  expect(await old.verify(await rotated.issue("agent"))).toBeNull();
  const token = await old.issue("agent");
  clock.advance(15 * 60_000);
  expect(await rotated.verify(token)).toBeNull();
});

test("a secret kept in the data directory is rotated by renaming its file", async () => {
  using dir = tempDir();
  const config = { ...NONE, dataDir: dir.path };
  const files = dataFiles(dir.path);
  const token = await sessions(config).issue("agent");
  expect(await sessions(config).verify(token)).toBe("agent");
  renameSync(files.jwtSecret, files.jwtSecretPrevious);
  expect(await sessions(config).verify(token)).toBe("agent");
  expect(await sessions(config).verify(await sessions(config).issue("agent"))).toBe("agent");
  renameSync(files.jwtSecretPrevious, `${files.jwtSecretPrevious}.gone`);
  expect(await sessions(config).verify(token)).toBeNull();
});

test.each(["jwtSecret", "jwtSecretPrevious"] as const)(
  "a %s file that others can read stops the start",
  (name) => {
    using dir = tempDir();
    const config = { ...NONE, dataDir: dir.path };
    const files = dataFiles(dir.path);
    jwtSecrets(config);
    if (name === "jwtSecretPrevious") renameSync(files.jwtSecret, files.jwtSecretPrevious);
    chmodSync(files[name], 0o644);
    expect(() => jwtSecrets(config)).toThrow(`chmod 600 ${files[name]}`);
  },
);
