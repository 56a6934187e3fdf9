import { describe, expect, test } from "bun:test";
import { readConfig } from "./config.ts";
import { databaseUrlProblem, databaseUrlSecrets, withoutPassword } from "./database-url.ts";

const SHAPE = "postgres://USER:PASSWORD@HOST:5432/DATABASE";

describe("a PostgreSQL URL", () => {
  test.each([
    "postgres://tokend:hush@db.internal:5432/tokend",
    "postgresql://tokend@db.internal/tokend",
    "postgres://db.internal/tokend?sslmode=verify-full&sslrootcert=/etc/ca.pem",
    "postgres://u:p@h1:5432,h2:5433,[::1]:5434/tokend?target_session_attrs=read-write",
    "postgres://u:p%40%2F%3A@127.0.0.1:1/t",
    "postgres://u:p:with:colons@h/t",
  ])("may be %s", (url) => {
    expect(databaseUrlProblem(url)).toBeNull();
  });

  test.each([
    ["mysql://u:hush@h/t", `must begin with postgres:// or postgresql://, as in ${SHAPE}`],
    ["h:5432/t", `must begin with postgres:// or postgresql://, as in ${SHAPE}`],
    ["postgres://u:hush@/t", `names no host, or an empty one: write ${SHAPE}`],
    ["postgres://u:hush@h1,,h2/t", `names no host, or an empty one: write ${SHAPE}`],
    [
      "postgres://u:hush@h:x/t",
      "has a wrong port after its host: it must be a number from 1 to 65535",
    ],
    [
      "postgres://u:hush@h1,h2:70000/t",
      "has a wrong port after host 2: it must be a number from 1 to 65535",
    ],
    ["postgres://u:hush@h1,::1/t", `has a wrong address as host 2: write ${SHAPE}`],
    ["postgres://u:hush@h", `names no database: write ${SHAPE}`],
    ["postgres://u:hush@h/?sslmode=require", `names no database: write ${SHAPE}`],
    [
      "postgres://u:hu%sh@h/t",
      "has a % in its user, password or database that begins no percent-encoding: write it as %25",
    ],
    [
      "postgres://u:hu/sh@h/t",
      "has a character in its user or password that must be percent-encoded: / as %2F, @ as %40, ? as %3F, # as %23",
    ],
    [
      "postgres://u:hu@sh@h/t",
      "has a character in its user or password that must be percent-encoded: / as %2F, @ as %40, ? as %3F, # as %23",
    ],
  ])("%s is refused with the part that is wrong, and not repeated", (url, problem) => {
    expect(databaseUrlProblem(url)).toBe(problem);
    const env = { CHAIN: "solana", DATABASE_URL: url };
    expect(() => readConfig(env)).toThrow(`DATABASE_URL ${problem}`);
    expect(() => readConfig(env)).not.toThrow("hu");
  });
});

test("the log strikes out a database's URL, password and hosts, but not our own loopback address", () => {
  expect(databaseUrlSecrets("postgres://u:p%40ss@h1:5433,127.0.0.1/t")).toEqual([
    "postgres://u:p%40ss@h1:5433,127.0.0.1/t",
    "p%40ss",
    "p@ss",
    "h1:5433",
    "127.0.0.1:5432",
    "h1",
  ]);
});

test.each([
  ["postgres://u:p@h1,h2:5/t?sslmode=require", "postgres://u@h1,h2:5/t?sslmode=require"],
  ["postgresql://u@h/t", "postgres://u@h/t"],
  ["postgres://h/t?password=hush&sslmode=require", "postgres://h/t?sslmode=require"],
  ["postgres://:p:q@h/t?sslpassword=hush", "postgres://h/t"],
])("%s is shown as %s", (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});

test("the log strikes out a password among the parameters too", () => {
  expect(databaseUrlSecrets("postgres://h/t?password=hu%20sh")).toContain("hu sh");
});
