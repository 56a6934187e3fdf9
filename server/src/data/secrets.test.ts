import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dataFiles } from "../config/config.ts";
import { tempDir } from "../testing/temp-dir.ts";
import {
  fingerprintOf,
  jwtSecretOf,
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
    `MINT_SECRET is not the secret in ${dir.file}. Unset it to keep using the file's; if the file is not the one of this server's launches, move it away.`,
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

test("a file of the JWT secret that others can read stops the start", () => {
  using dir = tempDir();
  const config = { jwtSecret: null, dataDir: dir.path };
  const made = jwtSecretOf(config);
  expect(jwtSecretOf(config)).toEqual(made);
  const { jwtSecret } = dataFiles(dir.path);
  chmodSync(jwtSecret, 0o644);
  expect(() => jwtSecretOf(config)).toThrow(`chmod 600 ${jwtSecret}`);
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
