import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dataFiles } from "../config/config.ts";
import { BearerTokens } from "../http/bearer-tokens.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { tempDir } from "../testing/temp-dir.ts";
import {
  fingerprintOf,
  jwtSecrets,
  openMintSecret,
  readMintSecret,
  sharedSecretsProblem,
} from "./secrets.ts";

const ONE = Buffer.alloc(32, 1);
const TWO = Buffer.alloc(32, 2);

function setUp() {
  const dir = tempDir();
  const settings = { dataDir: dir.path, databaseUrl: null, mintSecret: null };
  const file = dataFiles(dir.path).mintSecret;
  return {
    settings,
    file,
    keep: (secret: Buffer) => writeFileSync(file, secret.toString("hex"), { mode: 0o600 }),
    [Symbol.dispose]: () => dir[Symbol.dispose](),
  };
}

test("the first start makes the mint secret, and later ones read it", () => {
  using dir = setUp();
  expect(readMintSecret(dir.settings)).toBeNull();
  expect(existsSync(dir.file)).toBe(false);
  const made = openMintSecret(dir.settings);
  expect(readFileSync(dir.file, "utf8").trim()).toBe(Buffer.from(made).toString("hex"));
  expect(openMintSecret(dir.settings)).toEqual(made);
});

test("MINT_SECRET is used without a file, and none is made", () => {
  using dir = setUp();
  expect(openMintSecret({ ...dir.settings, mintSecret: ONE })).toEqual(ONE);
  expect(existsSync(dir.file)).toBe(false);
});

test("a server with another MINT_SECRET than the folder's is refused, and neither is shown", () => {
  using dir = setUp();
  dir.keep(ONE);
  expect(openMintSecret({ ...dir.settings, mintSecret: ONE })).toEqual(ONE);
  expect(() => openMintSecret({ ...dir.settings, mintSecret: TWO })).toThrow(
    `MINT_SECRET is not the secret in ${dir.file}. Unset it to go on with the file's; if the file is not the one of this server's launches, move it away.`,
  );
});

test("a server that shares its database reads the file, but makes none", () => {
  using dir = setUp();
  const shared = { ...dir.settings, databaseUrl: "postgres://h/t" };
  expect(() => openMintSecret(shared)).toThrow("MINT_SECRET is not set");
  expect(existsSync(dir.file)).toBe(false);
  dir.keep(TWO);
  expect(openMintSecret(shared)).toEqual(TWO);
});

test("a fingerprint is the same for the same secret only, and holds nothing of it", () => {
  expect(fingerprintOf(ONE)).toMatch(/^[\w-]{22}$/);
  expect(fingerprintOf(Buffer.from(ONE))).toBe(fingerprintOf(ONE));
  expect(fingerprintOf(TWO)).not.toBe(fingerprintOf(ONE));
});

const OLD = "the secret of last year, long enough";
const NEW = "the secret of this year, long enough";
const NONE = { jwtSecret: null, jwtSecretPrevious: null };

function bearerTokens(
  config: Parameters<typeof jwtSecrets>[0],
  clock = new ManualClock(),
): BearerTokens {
  return new BearerTokens(clock, jwtSecrets(config));
}

test("a changed secret logs no agent out while the previous one is set, which only verifies, until its tokens expire", async () => {
  using dir = tempDir();
  const clock = new ManualClock();
  const at = { ...NONE, dataDir: dir.path };
  const old = bearerTokens({ ...at, jwtSecret: OLD }, clock);
  const rotated = bearerTokens({ ...at, jwtSecret: NEW, jwtSecretPrevious: OLD }, clock);
  const token = await old.issue("agent");
  expect(await rotated.verify(token)).toMatchObject({ wallet: "agent" });
  expect(await old.verify(await rotated.issue("agent"))).toBeNull();
  expect(await bearerTokens({ ...at, jwtSecret: NEW }, clock).verify(token)).toBeNull();
  clock.advance(15 * 60_000);
  expect(await rotated.verify(token)).toBeNull();
});

test("a secret kept in the data directory is rotated by renaming its file", async () => {
  using dir = tempDir();
  const config = { ...NONE, dataDir: dir.path };
  const files = dataFiles(dir.path);
  const token = await bearerTokens(config).issue("agent");
  expect(await bearerTokens(config).verify(token)).toMatchObject({ wallet: "agent" });
  renameSync(files.jwtSecret, files.jwtSecretPrevious);
  expect(await bearerTokens(config).verify(token)).toMatchObject({ wallet: "agent" });
  const renewed = await bearerTokens(config).issue("agent");
  expect(await bearerTokens(config).verify(renewed)).toMatchObject({ wallet: "agent" });
  renameSync(files.jwtSecretPrevious, `${files.jwtSecretPrevious}.gone`);
  expect(await bearerTokens(config).verify(token)).toBeNull();
});

test("a file of either secret that others can read stops the start", () => {
  using dir = tempDir();
  const config = { ...NONE, dataDir: dir.path };
  const { jwtSecret, jwtSecretPrevious } = dataFiles(dir.path);
  jwtSecrets(config);
  chmodSync(jwtSecret, 0o644);
  expect(() => jwtSecrets(config)).toThrow(`chmod 600 ${jwtSecret}`);
  renameSync(jwtSecret, jwtSecretPrevious);
  expect(() => jwtSecrets(config)).toThrow(`chmod 600 ${jwtSecretPrevious}`);
});

const REMEDY =
  "All servers of a database have the same secrets: for a new database make each with openssl rand -hex 32, and give it to every server; for one in use, give this server those of the others.";

test("a server that shares its database needs both secrets, and the refusal says how to make them", () => {
  using dir = tempDir();
  const files = dataFiles(dir.path);
  const shared = {
    dataDir: dir.path,
    databaseUrl: "postgres://h/t",
    jwtSecret: null,
    mintSecret: null,
  };
  expect(sharedSecretsProblem({ ...shared, databaseUrl: null })).toBeNull();
  expect(sharedSecretsProblem(shared)).toBe(
    `JWT_SECRET is not set, and there is no ${files.jwtSecret}; MINT_SECRET is not set, and there is no ${files.mintSecret}. ${REMEDY}`,
  );
  expect(sharedSecretsProblem({ ...shared, jwtSecret: "given" })).toBe(
    `MINT_SECRET is not set, and there is no ${files.mintSecret}. ${REMEDY}`,
  );
  writeFileSync(files.mintSecret, "");
  expect(sharedSecretsProblem({ ...shared, jwtSecret: "given" })).toBeNull();
  writeFileSync(files.jwtSecret, "");
  expect(sharedSecretsProblem(shared)).toBeNull();
});
