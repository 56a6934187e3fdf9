import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import * as sdk from "../src/index.ts";
import { compileExamples, docstrings, type Example, exampleIn } from "./doc-examples.ts";

const root = join(import.meta.dir, "../..");
/** Classes whose methods users call; of an error they read the fields. */
const clients = ["TokenctlClient", "DevClient"];

/** Docstrings of all that the sources declare at the top, and of the clients' methods. */
const documented = new Map<string, string>();
/** Errors with fields of their own; another is read as its base class is, whose example says how. */
const withFields = new Set<string>();

const CLASS = /^export class (\w+)(.*?)^(?=\}$|\/\*\*|export )/gms;

for await (const path of new Glob("{sdk,shared}/src/**/*.ts").scan(root)) {
  if (path.endsWith(".test.ts")) continue;
  const source = await Bun.file(join(root, path)).text();
  for (const [, name = "", body = ""] of source.matchAll(CLASS)) {
    if (/errorOf<|^ {2}(?:declare )?readonly /m.test(body)) withFields.add(name);
  }
  const client = clients.find((name) => source.includes(`export class ${name} `));
  for (const [name, doc] of docstrings(source)) {
    if (name in sdk) documented.set(name, doc);
    else if (client && name.startsWith(".")) documented.set(client + name, doc);
  }
}

/** @returns what `index.ts` exports that needs an example, for example `TokenctlClient.launch` */
function needExamples(): string[] {
  return Object.entries(sdk).flatMap(([name, value]) => {
    if (clients.includes(name)) return [name, ...methodsOf(value).map((of) => `${name}.${of}`)];
    const isError = typeof value === "function" && value.prototype instanceof Error;
    return isError && !withFields.has(name) ? [] : [name];
  });
}

function methodsOf(type: unknown): string[] {
  if (typeof type !== "function") return [];
  return Object.getOwnPropertyNames(type.prototype).filter((name) => name !== "constructor");
}

/** @returns those of the names whose docstring has no example */
function withoutExample(names: readonly string[], docs: ReadonlyMap<string, string>): string[] {
  return names.filter((name) => exampleIn(docs.get(name)) === null);
}

describe("the examples in docstrings", () => {
  test("show every function and class that the package exports, and every method of a client", () => {
    expect(needExamples()).toContain("NonceError");
    expect(needExamples()).toContain("signClaim");
    expect(needExamples()).toContain("TokenctlClient.launch");
    expect(withoutExample(needExamples(), documented)).toEqual([]);
  });
});

describe("one run of the compiler", () => {
  const broken: Example = { of: "broken", code: "await client.launch({ ticker: 1 });" };
  let errors: Map<string, string>;

  beforeAll(async () => {
    const documentation = Array.from(documented, ([of, doc]) => ({ of, code: exampleIn(doc) }));
    const examples = documentation.filter((example): example is Example => example.code !== null);
    errors = await compileExamples([...examples, broken]);
  }, 300_000);

  test("accepts every example in a docstring", () => {
    expect([...errors].filter(([of]) => of !== broken.of)).toEqual([]);
  });

  test("refuses an example that calls a method with the wrong arguments", () => {
    expect(errors.get(broken.of)).toContain("Type 'number' is not assignable to type 'string'");
  });
});
