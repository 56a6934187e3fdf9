import { expect, test } from "bun:test";
import { methodTable } from "./errors.ts";

const methodsAt = methodTable([
  { method: "GET", path: "/tokens/" },
  { method: "GET", path: "/tokens/:mint" },
  { method: "POST", path: "/tokens/:mint" },
  { method: "POST", path: "/tokens/launch/" },
  { method: "GET", path: "/files/:name.json" },
]);

test.each([
  ["/tokens", ["GET", "HEAD"]],
  ["/tokens/", ["GET", "HEAD"]],
  ["/tokens/x", ["GET", "HEAD", "POST"]],
  ["/tokens/x/", ["GET", "HEAD", "POST"]],
  ["/tokens/%zz", ["GET", "HEAD", "POST"]],
  ["/tokens/launch", ["POST"]],
  ["/files/x.json", ["GET", "HEAD"]],
])("%s has the methods %j", (path, methods) => {
  expect(methodsAt(path)).toEqual(methods);
});

test.each(["", "/", "tokens", "/tokens//", "/tokens/x/y", "/tokens/launch/x", "/files/xyjson"])(
  "no route has the path %j",
  (path) => {
    expect(methodsAt(path)).toEqual([]);
  },
);
