import { beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { declaredTypes } from "../../scripts/wire-types.ts";
import * as sdk from "../src/index.ts";

const folder = join(import.meta.dir, "..");
const named = new Set<string>();
let index: string;

beforeAll(async () => {
  const text = await Bun.file(join(folder, "README.md")).text();
  const readme = text.replace(/^```.*?^```$/gms, "");
  const [, errors = ""] = /^## Errors$(.*?)^## /ms.exec(readme) ?? [];
  const [, reference = ""] = /^## Reference$(.*)/ms.exec(readme) ?? [];
  for (const [, code = ""] of (errors + reference).matchAll(/`([^`]+)`/g)) {
    for (const [name] of code.matchAll(/[\w.]+/g)) named.add(name.replace(/^client\./, ""));
  }
  index = await Bun.file(join(folder, "src/index.ts")).text();
});

const missing = (names: readonly string[]) => names.filter((name) => !named.has(name));

test("the reference names every function, class and type that the package exports", async () => {
  const types = [...index.matchAll(/^export type \{([^}]*)\}|\btype (\w+)/gms)].flatMap(
    ([, list = "", one = ""]) => `${list} ${one}`.match(/\w+/g) ?? [],
  );
  for (const [, file = ""] of index.matchAll(/^export (?:type )?\* from "\.\/(.*)";$/gm)) {
    const source = await Bun.file(join(folder, "src", file)).text();
    for (const [, name = ""] of source.matchAll(/^export (?:interface|type) (\w+)/gm))
      types.push(name);
  }
  const wire = Array.from(
    declaredTypes().matchAll(/^export (?:interface|type) (\w+)/gm),
    ([, name = ""]) => name,
  );
  expect(types.length).toBeGreaterThan(30);
  expect(wire.length).toBeGreaterThan(50);
  expect(missing([...Object.keys(sdk), ...types, ...wire])).toEqual([]);
});

test.each([
  ["", sdk.TokenctlClient],
  ["dev.", sdk.DevClient],
  ["webhooks.", sdk.WebhooksClient],
])("the reference names every method of client.%s", (prefix, { prototype }) => {
  const methods = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  expect(methods.length).toBeGreaterThan(2);
  expect(missing(methods.map((name) => prefix + name))).toEqual([]);
});

test("the reference names every option and every field of what the client itself returns", async () => {
  for (const file of ["options.ts", "claim-check/terms.ts", "signer.ts"]) {
    const source = await Bun.file(join(folder, "src", file)).text();
    const bodies = source.matchAll(/^export interface \w+[^{]*\{(.*?)^\}/gms);
    const fields = Array.from(bodies, ([, body = ""]) =>
      Array.from(body.matchAll(/^ {2}(?:readonly )?(\w+)[?:(]/gm), ([, name = ""]) => name),
    ).flat();
    expect(fields.length).toBeGreaterThan(3);
    expect(missing(fields.filter((name) => !OF_OUTCOMES.includes(name)))).toEqual([]);
  }
});

const OF_OUTCOMES = ["ticker", "address", "lamports", "repaidLamports", "account"];

test("the reference names nothing that does not exist", async () => {
  const calls = [...named].filter((name) => /^(?:dev|webhooks)\.\w/.test(name));
  const known = [
    ...Object.getOwnPropertyNames(sdk.DevClient.prototype).map((name) => `dev.${name}`),
    ...Object.getOwnPropertyNames(sdk.WebhooksClient.prototype).map((name) => `webhooks.${name}`),
  ];
  expect(calls.length).toBeGreaterThan(8);
  expect(calls.filter((name) => !known.includes(name))).toEqual([]);
  const types = [...named].filter((name) => /^[A-Z][a-z]\w*$/.test(name));
  const sources = await Promise.all(
    [...index.matchAll(/from "\.\/(.*)"/g)].map(([, file = ""]) =>
      Bun.file(join(folder, "src", file)).text(),
    ),
  );
  const declared = `${index}${declaredTypes()}${sources.join("")}`;
  const foreign = types.filter((name) => !(name in globalThis));
  expect(foreign.filter((name) => !new RegExp(`\\b${name}\\b`).test(declared))).toEqual([]);
});
