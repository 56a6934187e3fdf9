import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { Glob } from "bun";
import { declaredTypes } from "../../scripts/wire-types.ts";
import * as sdk from "../src/index.ts";

const root = join(import.meta.dir, "../..");
const read = (path: string) => Bun.file(join(root, path)).text();
const namesIn = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, name = ""]) => name);

const readme = await read("sdk/README.md");
const index = await read("sdk/src/index.ts");
const isError = (value: unknown) => typeof value === "function" && value.prototype instanceof Error;

describe("the reference of the README", () => {
  const words = readme.replace(/^```.*?^```$/gms, "");
  const [, errors = ""] = /^## Errors$(.*?)^## /ms.exec(words) ?? [];
  const [, reference = ""] = /^## Reference$(.*)/ms.exec(words) ?? [];
  const named = new Set(
    namesIn(errors + reference, /`([^`]+)`/g).flatMap((code) =>
      (code.match(/[\w.]+/g) ?? []).map((name) => name.replace(/^client\./, "")),
    ),
  );
  const missing = (names: readonly string[]) => names.filter((name) => !named.has(name));

  test("names every function, class and type that the package exports", async () => {
    const types = [...index.matchAll(/^export type \{([^}]*)\}|\btype (\w+)/gms)].flatMap(
      ([, list = "", one = ""]) => `${list} ${one}`.match(/\w+/g) ?? [],
    );
    for (const file of namesIn(index, /^export (?:type )?\* from "\.\/(.*)";$/gm)) {
      types.push(...namesIn(await read(`sdk/src/${file}`), /^export (?:interface|type) (\w+)/gm));
    }
    const wire = namesIn(declaredTypes(), /^export (?:interface|type) (\w+)/gm);
    expect(types.length).toBeGreaterThan(30);
    expect(wire.length).toBeGreaterThan(50);
    expect(missing([...Object.keys(sdk), ...types, ...wire])).toEqual([]);
  });

  test.each([
    ["", sdk.TokenctlClient],
    ["dev.", sdk.DevClient],
    ["webhooks.", sdk.WebhooksClient],
  ])("names every method of client.%s", (prefix, { prototype }) => {
    const methods = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
    expect(methods.length).toBeGreaterThan(2);
    expect(missing(methods.map((name) => prefix + name))).toEqual([]);
  });

  const OF_OUTCOMES = ["ticker", "address", "lamports", "repaidLamports", "account"];

  test("names every option and every field of what the client itself returns", async () => {
    for (const file of ["options.ts", "claim-check/terms.ts", "signer.ts"]) {
      const bodies = namesIn(
        await read(`sdk/src/${file}`),
        /^export interface \w+[^{]*\{(.*?)^\}/gms,
      );
      const fields = bodies.flatMap((body) => namesIn(body, /^ {2}(?:readonly )?(\w+)[?:(]/gm));
      expect(fields.length).toBeGreaterThan(2);
      expect(missing(fields.filter((name) => !OF_OUTCOMES.includes(name)))).toEqual([]);
    }
  });

  test("names nothing that does not exist", async () => {
    const calls = [...named].filter((name) => /^(?:dev|webhooks)\.\w/.test(name));
    const known = [
      ...Object.getOwnPropertyNames(sdk.DevClient.prototype).map((name) => `dev.${name}`),
      ...Object.getOwnPropertyNames(sdk.WebhooksClient.prototype).map((name) => `webhooks.${name}`),
    ];
    expect(calls.length).toBeGreaterThan(7);
    expect(calls.filter((name) => !known.includes(name))).toEqual([]);
    const sources = await Promise.all(
      namesIn(index, /from "\.\/(.*)"/g).map((file) => read(`sdk/src/${file}`)),
    );
    const declared = `${index}${declaredTypes()}${sources.join("")}`;
    const types = [...named].filter((name) => /^[A-Z][a-z]\w*$/.test(name));
    const foreign = types.filter((name) => !(name in globalThis));
    expect(foreign.filter((name) => !new RegExp(`\\b${name}\\b`).test(declared))).toEqual([]);
  });
});

describe("the error table of the README", () => {
  /** Classes with some of their codes. */
  const rows = Array.from(
    readme.matchAll(/^\| `(\w+Error)` +\|.*\|(.*)\|$/gm),
    ([, name = "", codes = ""]) => [name, namesIn(codes, /`([a-z]+(?:_[a-z]+)*)`/g)] as const,
  );

  test("has a row for each error class that the package exports", () => {
    const classes = Object.entries(sdk).flatMap(([name, value]) => (isError(value) ? [name] : []));
    expect(classes.length).toBeGreaterThan(10);
    expect([...new Set(rows.map(([name]) => name))].sort()).toEqual(classes.sort());
  });

  test("has exactly the codes that the type of codes knows", async () => {
    const own = namesIn(await read("sdk/src/error-codes.ts"), /^ {2}\| "(\w+)"/gm);
    expect([...new Set(rows.flatMap(([, codes]) => codes))].sort()).toEqual(
      [...new Set([...own, ...Object.keys(errorCodes)])].sort(),
    );
  });
});

/** What an example may use without declaring it. All else it imports or declares itself. */
const PREAMBLE = `
declare const client: import("@tokenctl/sdk").TokenctlClient;
/** The mint of one of the agent's tokens, base58. */
declare const mint: string;
declare const eventId: string;
declare const error: unknown;
/** 64 bytes. */
declare const secretKey: Uint8Array;
`;

const DOCSTRING =
  /\/\*\*((?:(?!\*\/).)*)\*\/\n(export | {2})(?:async )?(?:(?:function|class) |get )?(\w+)/gs;
const CLASS = /^export class (\w+)(.*?)^(?=\}$|\/\*\*|export )/gms;

describe("one run of the compiler", () => {
  /** The examples of all that the sources declare at the top, and of methods. */
  const examples = new Map<string, string>();
  /** Errors with fields of their own; another is read as its base class is, whose example says how. */
  const withFields = new Set<string>();
  const BROKEN = "await client.launch({ ticker: 1 });";
  let output = "";

  /** @returns what the compiler says of a file */
  const saidOf = (file: string) =>
    output.split("\n").filter((line) => line.startsWith(`${file}.ts(`));

  beforeAll(async () => {
    for await (const path of new Glob("{sdk,shared}/src/**/*.ts").scan(root)) {
      if (path.endsWith(".test.ts")) continue;
      const source = await read(path);
      for (const [, name = "", body = ""] of source.matchAll(CLASS)) {
        if (/errorOf<|^ {2}(?:declare )?readonly /m.test(body)) withFields.add(name);
      }
      const [, client] = /^export class (\w+Client) /m.exec(source) ?? [];
      for (const [, doc = "", place, name = ""] of source.matchAll(DOCSTRING)) {
        const of = place === "export " ? name : `${client}.${name}`;
        const [, code] = /@example\n(.*)/s.exec(doc.replace(/^ *\* ?/gm, "")) ?? [];
        if (code && (of in sdk || (client && place !== "export "))) examples.set(of, code);
      }
    }
    // Below the repository's root, where the compiler finds the packages that examples import.
    const folder = await mkdtemp(join(root, "node_modules/.doc-examples-"));
    try {
      const write = (file: string, text: string) => Bun.write(join(folder, file), text);
      await write("preamble.d.ts", PREAMBLE);
      for (const [of, code] of [...examples, ["broken", BROKEN]]) {
        await write(`${of}.ts`, `${code}\nexport {};\n`);
      }
      const types = join(root, "shared/src/types.ts");
      const names = namesIn(await read("shared/src/types.ts"), /^export type (\w+)/gm);
      expect(names.length).toBeGreaterThan(40);
      const proofs = names.map((name) => `true as Same<declared.${name}, contract.${name}>,`);
      await write("declared.ts", declaredTypes());
      await write(
        "same.ts",
        `import type * as declared from "./declared.ts";
import type * as contract from ${JSON.stringify(types)};
type Same<A, B> = [A, B] extends [B, A] ? true : never;
export const proofs: true[] = [\n${proofs.join("\n")}\n];\n`,
      );
      const config = {
        extends: join(root, "tsconfig.json"),
        compilerOptions: { paths: { "@tokenctl/sdk": [join(root, "sdk/src/index.ts")] } },
        include: [join(folder, "*.ts")],
        exclude: [],
      };
      await write("tsconfig.json", JSON.stringify(config));
      const tsc = Bun.spawn([join(root, "node_modules/.bin/tsc"), "--noEmit", "-p", folder], {
        cwd: folder,
        stdout: "pipe",
        stderr: "inherit",
      });
      output = await new Response(tsc.stdout).text();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 300_000);

  test("accepts an example of every function and class that the package exports", () => {
    const needed = Object.entries(sdk).flatMap(([name, value]) =>
      isError(value) && !withFields.has(name) ? [] : [name],
    );
    expect(needed).toEqual(expect.arrayContaining(["CheckError", "hasCode", "TokenctlClient"]));
    expect(needed.filter((name) => !examples.has(name))).toEqual([]);
    expect(examples.has("TokenctlClient.launch")).toBeTrue();
  });

  test("accepts nothing but what is right, and the types of the package are those of the contract", () => {
    expect(saidOf("broken").join()).toContain("Type 'number' is not assignable to type 'string'");
    const said = output.split("\n").filter((line) => line.trim() !== "");
    expect(said).toEqual(saidOf("broken"));
  });
});
