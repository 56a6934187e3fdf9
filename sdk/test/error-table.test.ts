import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { errorCodes } from "@tokenctl/shared/error-codes";
import * as sdk from "../src/index.ts";
import { toApiError } from "../src/internal/api-error.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path)).text();

const withoutRow = ["TokenctlError", "LaunchWaitTimeoutError"];

describe("the error table of the README", () => {
  test("has a row for each error class that the package exports", async () => {
    const classes = Object.entries(sdk).flatMap(([name, value]) =>
      value.prototype instanceof Error && !withoutRow.includes(name) ? [name] : [],
    );
    expect(classes.length).toBeGreaterThan(20);
    expect([...(await table()).keys()].sort()).toEqual(classes.sort());
  });

  test("has every code of the server under the class that the client makes of it", async () => {
    const rows = await table();
    for (const [code, { status, text }] of Object.entries(errorCodes)) {
      const { name } = answered(status, { error: text, code });
      expect([code, rows.get(name)]).toEqual([code, expect.arrayContaining([code])]);
    }
  });

  test("has the code of every answer without one under the class that the client makes of it", async () => {
    const rows = await table();
    for (const status of [
      302, 400, 401, 404, 405, 408, 409, 413, 415, 418, 429, 500, 502, 503, 504,
    ]) {
      for (const body of [{ error: "No" }, "<html>"]) {
        const { name, code } = answered(status, body);
        expect([status, name, rows.get(name)]).toEqual([
          ...[status, name, expect.arrayContaining([code])],
        ]);
      }
    }
  });

  test("has exactly the codes that the type of codes knows", async () => {
    const source = (await read("sdk/src/error-codes.ts")).matchAll(/^ {2}\| "(\w+)"/gm);
    const own = Array.from(source, ([, code = ""]) => code);
    const documented = new Set([...(await table()).values()].flat());
    expect([...documented].sort()).toEqual(
      [...new Set([...own, ...Object.keys(errorCodes)])].sort(),
    );
  });
});

function answered(status: number, body: unknown) {
  return toApiError({ status, body, requestId: null, retryAfter: null });
}

/** @returns the codes of each class, in alphabetical order */
async function table(): Promise<Map<string, string[]>> {
  const rows = (await read("sdk/README.md")).matchAll(/^\| `(\w+Error)` +\|.*\|(.*)\|$/gm);
  return new Map(Array.from(rows, ([, name = "", codes = ""]) => [name, codesIn(codes)]));
}

function codesIn(text: string): string[] {
  return Array.from(text.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g), ([, code = ""]) => code).sort();
}
