import { describe, expect, test } from "bun:test";
import { parsePostgresUrl, postgresUrlSecrets } from "./postgres-url.ts";

const SHAPE = "postgres://USER:PASSWORD@HOST:5432/DATABASE";

test("a URL names user, password, hosts, database and TLS", () => {
  expect(parsePostgresUrl("postgres://me:secret@db.example/tokend")).toEqual({
    hosts: [{ host: "db.example", port: 5432 }],
    user: "me",
    password: "secret",
    database: "tokend",
    sslMode: "prefer",
    sslRootCert: null,
  });
  const url =
    "postgresql://me@db1:6432,[2001:db8::1],%2Frun%2Fpg:7/tokend?sslmode=verify-full" +
    "&sslrootcert=/ca.pem";
  expect(parsePostgresUrl(url)).toEqual({
    hosts: [
      { host: "db1", port: 6432 },
      { host: "2001:db8::1", port: 5432 },
      { host: "/run/pg", port: 7 },
    ],
    user: "me",
    password: null,
    database: "tokend",
    sslMode: "verify-full",
    sslRootCert: "/ca.pem",
  });
});

test("percent-encoded characters of user, password and database are decoded", () => {
  const { user, password, database } = parsePostgresUrl("postgres://a%40b:p%3A%2F%3F@h/d%20b");
  expect({ user, password, database }).toEqual({ user: "a@b", password: "p:/?", database: "d b" });
  expect(parsePostgresUrl("postgres://u:p:with:colons@h/t").password).toBe("p:with:colons");
});

describe("a wrong URL is refused, and the message names the part and no password:", () => {
  const PERCENT = "has a % that begins no percent-encoding: write it as %25";
  const ENCODE =
    "has a character in its user or password that must be percent-encoded: / as %2F, @ as %40, ? as %3F, # as %23";
  const WRONG_HOST = `has a wrong host or port: write ${SHAPE}`;
  const NO_USER = `names no user: write ${SHAPE}`;
  const NO_DATABASE = `names no database: write ${SHAPE}`;

  test.each([
    ["mysql://u:hush@h/t", `must begin with postgres:// or postgresql://, as in ${SHAPE}`],
    ["h:5432/t", `must begin with postgres:// or postgresql://, as in ${SHAPE}`],
    ["postgres://u:hush@/t", WRONG_HOST],
    ["postgres://u:hush@h1,,h2/t", WRONG_HOST],
    ["postgres://u:hush@h:x/t", WRONG_HOST],
    ["postgres://u:hush@h1,h2:70000/t", WRONG_HOST],
    ["postgres://u:hush@h1,::1/t", WRONG_HOST],
    ["postgres://:hush@h/t", NO_USER],
    ["postgres://h/t", NO_USER],
    ["postgres://u:hush@h", NO_DATABASE],
    ["postgres://u:hush@h/", NO_DATABASE],
    ["postgres://u:hush@h/a/b", NO_DATABASE],
    ["postgres://u:hush@h/?sslmode=require", NO_DATABASE],
    ["postgres://u:hu%sh@h/t", PERCENT],
    ["postgres://u:hush@%zz/t", PERCENT],
    ["postgres://u:hu/sh@h/t", ENCODE],
    ["postgres://u:hu@sh@h/t", ENCODE],
    [
      "postgres://u:hush@h/t?sslmode=on",
      `has "on" as its sslmode; it may be disable, prefer, require, verify-ca, verify-full`,
    ],
    [
      "postgres://u:hush@h/t?password=hush",
      `has "password" as its parameter; it may be sslmode, sslrootcert`,
    ],
  ])("%s", (url, message) => {
    const parse = () => parsePostgresUrl(url);
    expect(parse).toThrow(new Error(message));
    expect(parse).not.toThrow("hu");
  });
});

test("the log strikes out a database's URL, password and hosts, but no bare name and not our own loopback address", () => {
  expect(postgresUrlSecrets("postgres://u:p%40ss@h1.lan:5433,postgres,127.0.0.1/t")).toEqual([
    "postgres://u:p%40ss@h1.lan:5433,postgres,127.0.0.1/t",
    "p%40ss",
    "p@ss",
    "h1.lan:5433",
    "postgres:5432",
    "127.0.0.1:5432",
    "h1.lan",
  ]);
});
