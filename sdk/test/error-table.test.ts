import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { errorTexts } from "@tokenctl/shared/errors";
import { Glob } from "bun";
import { toApiError } from "../src/internal/api-error.ts";
import { docstrings } from "./doc-examples.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path)).text();

/** Errors without a row: they have no code of their own. */
const withoutRow = ["TokenctlError", "LaunchWaitTimeoutError"];

describe("the error table of the README", () => {
  test("has the codes that the docstring of each error class names", async () => {
    const docs = new Map<string, string>();
    for (const file of ["errors", "claim-errors", "api-errors"]) {
      const source = await read(`sdk/src/${file}.ts`);
      for (const [name, doc] of docstrings(source)) {
        if (source.includes(`export class ${name} `)) docs.set(name, doc);
      }
    }
    for (const name of withoutRow) docs.delete(name);
    const documented = Array.from(docs, ([name, doc]) => [
      name,
      codesIn(/\bCodes? [^@]*/.exec(doc)?.[0] ?? ""),
    ]);
    expect(documented.length).toBeGreaterThan(20);
    expect(Object.fromEntries(await table())).toEqual(Object.fromEntries(documented));
  });

  test("has every code that the server's sources put into an answer", async () => {
    const codes = new Set<string>();
    for await (const path of new Glob("server/src/{http,modules}/**/*.ts").scan(root)) {
      if (path.endsWith(".test.ts")) continue;
      for (const [, code = ""] of (await read(path)).matchAll(/\bcode: "(\w+)"/g)) codes.add(code);
    }
    expect(codes.size).toBeGreaterThan(2);
    const known = [...(await table()).values()].flat();
    expect([...codes].filter((code) => !known.includes(code))).toEqual([]);
  });

  test("has every code that the client gives to an error text of the contract", async () => {
    const known = [...(await table()).values()].flat();
    const codes = Object.values(errorTexts).map(
      (error) =>
        toApiError({ status: 418, body: { error }, requestId: null, retryAfter: null }).code,
    );
    expect(codes.filter((code) => !known.includes(code))).toEqual([]);
  });
});

/** @returns the codes of each class, in alphabetical order */
async function table(): Promise<Map<string, string[]>> {
  const rows = (await read("sdk/README.md")).matchAll(/^\| `(\w+Error)` +\|.*\|(.*)\|$/gm);
  return new Map(Array.from(rows, ([, name = "", codes = ""]) => [name, codesIn(codes)]));
}

function codesIn(text: string): string[] {
  return Array.from(text.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g), ([, code = ""]) => code).sort();
}
