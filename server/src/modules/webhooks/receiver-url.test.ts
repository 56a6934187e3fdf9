import { expect, test } from "bun:test";
import { readReceiverUrl } from "./post.ts";

const problem = (url: string, allowsLoopback = false) => {
  const read = readReceiverUrl(url, { allowsLoopback });
  return typeof read === "string" ? read : null;
};

test.each([
  ["hooks.example", "a URL"],
  ["http://hooks.example/", "an https URL"],
  ["ftp://hooks.example/", "an https URL"],
  ["https://user@hooks.example/", "a URL without a user name"],
  ["https://:password@hooks.example/", "a URL without a user name"],
  ["https://localhost/", "a URL of a public host"],
  ["https://2130706433/", "a URL of a public host"],
  ["https://[::ffff:a9fe:a9fe]/", "a URL of a public host"],
  // Its parser writes each of these three times as long, in percent.
  [`https://hooks.example/${"é".repeat(400)}`, "a URL of at most 1024 characters"],
  ["https://hooks.example:25/", "a URL with port 443 or one from 1024 on"],
  ["https://hooks.example/a?b=c", null],
  ["https://hooks.example:8443/", null],
  ["https://[2606:4700::1111]/", null],
])("the URL %s must be: %p", (url, expected) => {
  expect(problem(url)).toBe(expected);
});

test("only on a sandbox a URL may lead to this machine, and only there by http", () => {
  for (const host of ["localhost:80", "127.0.0.1:1", "[::1]:8080", "a.localhost"]) {
    expect([problem(`http://${host}/`, true), problem(`https://${host}/`, true)]).toEqual([
      null,
      null,
    ]);
    expect(problem(`http://${host}/`)).not.toBeNull();
  }
  expect(problem("http://10.0.0.1/", true)).toBe("an https URL");
});
