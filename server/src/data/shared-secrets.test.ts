import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { dataFiles } from "../config/config.ts";
import { tempDir } from "../testing/temp-dir.ts";
import { sharedSecretsProblem } from "./shared-secrets.ts";

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
