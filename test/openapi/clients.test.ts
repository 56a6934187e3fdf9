import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import openapiTypes, { astToString } from "openapi-typescript";
import { ROOT, run, tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const folder = tempDir();
const project = join(folder.path, "life");

const server = await startTestServer();
cpSync(join(import.meta.dir, "life"), project, { recursive: true });
symlinkSync(join(import.meta.dir, "node_modules"), join(project, "node_modules"));
const document = join(folder.path, "openapi.json");
await Bun.write(document, await fetch(`${server.url}/openapi/json`));
const generated = join(project, "generated");
mkdirSync(generated);
writeFileSync(
  join(generated, "types.ts"),
  astToString(await openapiTypes(pathToFileURL(document))),
);
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("a client of the types that a generator makes of the document compiles under strict rules", async () => {
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitReturns: true,
    noEmit: true,
    target: "ES2024",
    lib: ["ES2024", "DOM", "DOM.Iterable"],
    types: ["node"],
    module: "Preserve",
    moduleResolution: "bundler",
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    typeRoots: [join(ROOT, "node_modules", "@types")],
  };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["*.ts", "generated"] }),
  );
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  const compiled = await run([tsc, "--project", project], ROOT);
  expect(compiled).toEqual({ exitCode: 0, stdout: "", stderr: "" });
});

test("a token lives its whole life by such a client", async () => {
  const client = join(project, "openapi-typescript.ts");
  const lived = await run([process.execPath, client, server.url], project);
  expect(lived).toEqual({ exitCode: 0, stdout: "lived\n", stderr: "" });
});
