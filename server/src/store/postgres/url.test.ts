import { describe, expect, test } from "bun:test";
import { parsePostgresUrl } from "./url.ts";

test("a URL names user, password, hosts, database and TLS", () => {
  expect(parsePostgresUrl("postgres://me:secret@db.example/tokend")).toEqual({
    hosts: [{ host: "db.example", port: 5432 }],
    user: "me",
    password: "secret",
    database: "tokend",
    sslMode: "prefer",
    sslRootCert: null,
    sslCert: null,
    sslKey: null,
  });
  const url =
    "postgresql://me@db1:6432,[2001:db8::1],%2Frun%2Fpg:7/tokend?sslmode=verify-full" +
    "&sslrootcert=/ca.pem&sslcert=/me.pem&sslkey=/me.key&target_session_attrs=read-write";
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
    sslCert: "/me.pem",
    sslKey: "/me.key",
  });
});

test("percent-encoded characters of user, password and database are decoded", () => {
  const { user, password, database } = parsePostgresUrl("postgres://a%40b:p%3A%2F%3F@h/d%20b");
  expect({ user, password, database }).toEqual({ user: "a@b", password: "p:/?", database: "d b" });
});

describe("a wrong URL is refused, and the message names the part and no password:", () => {
  test.each([
    ["mysql://u:hunter2@h/d", "must look like postgres://"],
    ["postgres://u:hunter2/3@h/d", "must look like postgres://"],
    ["postgres://u:hunter2%@h/d", "password is not percent-encoded"],
    ["postgres://:hunter2@h/d", "names no user"],
    ["postgres://h/d", "names no user"],
    ["postgres://u:hunter2@h", "names no database"],
    ["postgres://u:hunter2@h/", "names no database"],
    ["postgres://u:hunter2@/d", "host is missing"],
    ["postgres://u:hunter2@h1,,h2/d", "host is missing"],
    ["postgres://u:hunter2@h:x/d", "host is missing"],
    ["postgres://u:hunter2@h:70000/d", "port of h is not between 1 and 65535"],
    ["postgres://u:hunter2@h/d?sslmode=on", 'sslmode is "on"; it may be disable, prefer'],
    ["postgres://u:hunter2@h/d?sslmod=require", 'parameter is "sslmod"; it may be sslmode'],
    ["postgres://u:hunter2@h/d?sslmode=require&sslmode=disable", "names sslmode twice"],
    ["postgres://u:hunter2@h/d?sslcert=/c", "both of sslcert and sslkey"],
    ["postgres://u:hunter2@h/d?target_session_attrs=standby", "it may be read-write, primary, any"],
  ])("%s", (url, message) => {
    const parse = () => parsePostgresUrl(url);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow("hunter2");
  });
});
