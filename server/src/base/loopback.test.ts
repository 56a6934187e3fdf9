import { expect, test } from "bun:test";
import { explainTakenPort } from "./loopback.ts";

const where = { hostname: "::1", port: 8787, remedy: "set PORT to another" };

const failing = (code: string) => () => {
  throw Object.assign(new Error("Failed to start server"), { code });
};

test("the error of a taken port names the host, the port and what to do", () => {
  expect(() => explainTakenPort(failing("EADDRINUSE"), where)).toThrow(
    "[::1]:8787 is taken: another program listens there; stop it, or set PORT to another",
  );
});

test("any other error is passed on", () => {
  expect(() => explainTakenPort(failing("EADDRNOTAVAIL"), where)).toThrow("Failed to start server");
});
