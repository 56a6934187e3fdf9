import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { consoleBundle } from "../../console/build.ts";
import { withoutWebSockets } from "../../scripts/bundled-packages.ts";
import { shippedPackages, toCycloneDx } from "../../scripts/release/sbom.ts";
import { installBinaries } from "../support/binaries.ts";
import { ROOT, run, tempDir } from "../support/processes.ts";

const folder = tempDir();
afterAll(() => folder[Symbol.dispose]());
await installBinaries(folder.path);

const tokend = join(folder.path, "tokend");
const tokenctl = join(folder.path, "tokenctl");
const signer = join(folder.path, "launch-signer");

const artefacts: Record<string, [command: string[], code: () => Promise<string[]>]> = {
  tokend: [[tokend], async () => [await textOf(tokend), ...(await consoleCode())]],
  tokenctl: [[tokenctl], async () => [await textOf(tokenctl)]],
  "launch-signer": [[signer], async () => [await textOf(signer)]],
  "tokenctl of npm": [["node", join(ROOT, "cli/dist/tokenctl.js")], npmCode],
};

async function textOf(file: string): Promise<string> {
  return Buffer.from(await Bun.file(file).arrayBuffer()).toString("latin1");
}

async function consoleCode(): Promise<string[]> {
  const { outputs } = await Bun.build({ ...consoleBundle(ROOT), minify: false });
  return Promise.all(outputs.map((output) => output.text()));
}

async function npmCode(): Promise<string[]> {
  const files = new Bun.Glob("**/*.js").scan({ cwd: join(ROOT, "cli/dist"), absolute: true });
  return Promise.all((await Array.fromAsync(files)).map(textOf));
}

/** @returns the packages that the bundler names above their code, for example `ms 2.1.3` */
async function packagesIn(code: readonly string[]): Promise<string[]> {
  const comment = /^\/\/ (?:\.\.\/)*(node_modules\/\S*node_modules\/(?:@[^/\s]+\/)?[^/\s]+)\//gm;
  const folders = new Set(code.flatMap((text) => [...text.matchAll(comment)].map(([, at]) => at)));
  const manifests = [...folders].map((at) => Bun.file(join(ROOT, at ?? "", "package.json")).json());
  const names = (await Promise.all(manifests)).map(({ name, version }) => `${name} ${version}`);
  return [...new Set(names)].sort();
}

/** @returns whose licences these are; each has a text */
function packagesOf(licenses: string): string[] {
  return licenses.split(`\n\n${"=".repeat(80)}\n\n`).map((section) => {
    const [, name = section, text] = /^(\S+ \S+) \([^)\n]+\)\n\n(.*)$/s.exec(section) ?? [];
    expect(text?.length).toBeGreaterThan(400);
    return name;
  });
}

for (const [name, [command, code]] of Object.entries(artefacts)) {
  test(`${name} prints the licence of everything that it contains, and of nothing else: nothing under the GPL or LGPL but Bun, and nothing of rpc-websockets or chain`, async () => {
    const { exitCode, stdout, stderr } = await run([...command, "licenses"], folder.path);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const all = await code();
    const inside = await packagesIn(all);
    expect(inside.length).toBeGreaterThan(10);
    const bun = name.includes("npm") ? [] : [`bun ${Bun.version}`];
    const [own, ...others] = packagesOf(stdout);
    expect(own).toMatch(/^(?:token(?:d|ctl)|launch-signer) \d/);
    expect(others.sort()).toEqual([...inside, ...bun].sort());
    const heads = stdout.match(/^\S+ \d\S+ \([^)\n]*GPL[^)\n]*\)$/gm) ?? [];
    expect(heads.filter((head) => !head.startsWith("bun "))).toEqual([]);
    expect(inside.join("\n")).not.toMatch(/^(?:rpc-websockets|chain) /m);
    for (const text of all) {
      expect(text.includes("Failed subscribing to an event '")).toBeFalse();
      expect(text.includes("__listMethods")).toBeFalse();
    }
  }, 300_000);
}

test("the licences of tokenctl are in the npm package as a file too, and in the binary as JSON", async () => {
  const { stdout } = await run(["node", join(ROOT, "cli/dist/tokenctl.js"), "licenses"], ROOT);
  expect(await Bun.file(join(ROOT, "cli/dist/LICENSES.txt")).text()).toBe(stdout);
  const json = await run([tokenctl, "licenses", "--json"], ROOT);
  expect(JSON.parse(json.stdout).packages).toContainEqual({
    name: "commander",
    version: expect.stringMatching(/^\d+\./),
    license: "MIT",
    text: expect.stringContaining("Permission is hereby granted"),
  });
});

test("a program that runs from its sources says what gathers the licences", async () => {
  const source = [process.execPath, join(ROOT, "server/src/main.ts"), "licenses"];
  const said = await run(source, folder.path);
  expect(said.stdout).toBe("`bun run build` puts the licences into the programs.\n");
});

test("a reader that stops early ends `licenses` without an error", async () => {
  for (const program of [tokend, tokenctl]) {
    const command = `set -o pipefail; ${program} licenses | head -n 1`;
    const { exitCode, stdout, stderr } = await run(["bash", "-c", command], folder.path);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^token(?:d|ctl) \d\S+ \(MIT\)\n$/);
  }
});

test("in a bundle, a connection works and a subscription fails at once", async () => {
  const entry = join(ROOT, "test/release/subscriber.ts");
  const code = `import { Connection } from "@solana/web3.js";
    const connection = new Connection("http://127.0.0.1:9");
    console.log("connected");
    connection.onSlotChange(() => {});`;
  const { outputs } = await Bun.build({
    entrypoints: [entry],
    files: { [entry]: code },
    target: "bun",
    plugins: [withoutWebSockets],
  });
  const program = join(folder.path, "subscriber.js");
  await Bun.write(program, (await outputs[0]?.text()) ?? "");
  const { exitCode, stdout, stderr } = await run([process.execPath, program], folder.path);
  expect(stderr).toContain("This program has no websockets");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "connected\n" });
});

test("the bill of materials names every package with its licence and hash", () => {
  const integrity = `sha512-${Buffer.alloc(64, 7).toString("base64")}`;
  const packages = [
    { name: "@a/one", version: "1.0.0", license: "MIT", integrity },
    { name: "two", version: "2.0.0", integrity },
  ];
  const bom = JSON.parse(toCycloneDx("1.2.0", packages));
  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
  expect(bom.metadata.component).toMatchObject({ name: "tokenctl", version: "1.2.0" });
  expect(bom.components).toHaveLength(3);
  expect(bom.components).toContainEqual(
    expect.objectContaining({ name: "bun", version: Bun.version, type: "platform" }),
  );
  expect(toCycloneDx("1.2.0", packages)).toBe(toCycloneDx("1.2.0", packages));
  expect(bom.components).toContainEqual(
    expect.objectContaining({
      group: "@a",
      name: "one",
      version: "1.0.0",
      purl: "pkg:npm/%40a/one@1.0.0",
      licenses: [{ expression: "MIT" }],
      hashes: [{ alg: "SHA-512", content: Buffer.alloc(64, 7).toString("hex") }],
    }),
  );
});

test("what the artefacts hold is listed, and nothing else", async () => {
  const packages = await shippedPackages(ROOT);
  const names = packages.map(({ name }) => name);
  for (const name of [
    ...["elysia", "@elysiajs/jwt", "@sinclair/typebox", "drizzle-orm", "@solana/web3.js", "bs58"],
    ...["commander", "string-width", "undici", "@noble/ed25519", "preact"],
  ]) {
    expect(names).toContain(name);
  }
  const addon = packages.find(({ name }) => name === "litesvm-darwin-arm64");
  expect(addon?.license).toBe("MIT");
  for (const name of [
    "typescript",
    "@biomejs/biome",
    "knip",
    "fast-check",
    "rpc-websockets",
    "chain",
  ]) {
    expect(names).not.toContain(name);
  }
  for (const { integrity } of packages) expect(integrity).toStartWith("sha512-");
}, 300_000);
