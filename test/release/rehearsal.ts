/** A release of the commit, made in a fresh clone, each of its files installed and started. `bun run check:packages` runs it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { PROGRAMS } from "../../scripts/compile.ts";
import { targets } from "../../scripts/release/binaries.ts";
import { tryBinaries } from "../../scripts/release/try-binaries.ts";
import { npmInstall, succeed } from "../support/packages.ts";
import { ROOT, run, tempDir } from "../support/processes.ts";

setDefaultTimeout(1_200_000);

const folder = tempDir();
const clone = join(folder.path, "clone");
const release = join(clone, "dist/release");
const here = `${process.platform}-${process.arch}`;
let version = "";
let releases: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  await succeed(["git", "clone", "--quiet", ROOT, clone], folder.path);
  const { HOME = "/root" } = process.env;
  const env = { HOME };
  await succeed([process.execPath, "install", "--frozen-lockfile"], clone, env);
  await succeed([process.execPath, "run", "release", "--dry-run"], clone, env);
  ({ version } = await Bun.file(join(clone, "cli/package.json")).json());
  releases = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(Bun.file(join(release, url.split("/").at(-1) ?? ""))),
  });
});

afterAll(async () => {
  await releases?.stop(true);
  folder[Symbol.dispose]();
});

test("a clone makes all files of a release, and their checksums hold", async () => {
  const binaries = targets.flatMap(({ name }) => PROGRAMS.map((program) => `${program}-${name}`));
  const debs = ["amd64", "arm64"].flatMap((cpu) =>
    PROGRAMS.map((program) => `${program}_${version}_${cpu}.deb`),
  );
  const npm = [`tokenctl-sdk-${version}.tgz`, `tokenctl-${version}.tgz`];
  const texts = ["NOTES.md", "install.sh", "sbom.cdx.json", "server.json", "tokenctl.rb"];
  const files = [...binaries, ...debs, ...npm, ...texts];
  expect(readdirSync(release).sort()).toEqual([...files, "SHA256SUMS"].sort());
  const checked = await succeed(["sha256sum", "--check", "SHA256SUMS"], release);
  expect(checked.trim().split("\n").sort()).toEqual(files.map((name) => `${name}: OK`).sort());
  expect(await succeed(["git", "status", "--porcelain"], clone)).toBe("");
  // Mach-O programs of 64 bits, for Intel and for ARM.
  for (const [cpu, type] of [
    ["x64", 7],
    ["arm64", 12],
  ] as const) {
    for (const program of PROGRAMS) {
      const start = await Bun.file(join(release, `${program}-darwin-${cpu}`))
        .slice(0, 8)
        .bytes();
      expect([...start]).toEqual([0xcf, 0xfa, 0xed, 0xfe, type, 0, 0, 1]);
    }
  }
});

test("install.sh and the Debian packages install programs that start", async () => {
  const prefix = join(folder.path, "prefix");
  const from = releases.url.href.replace(/\/$/, "");
  const env = { PREFIX: prefix, RELEASES: from, HOME: folder.path };
  const root = join(folder.path, "root");
  for (const program of PROGRAMS) {
    await succeed(["sh", join(release, "install.sh"), program, version], folder.path, env);
    const cpu = process.arch === "x64" ? "amd64" : process.arch;
    const deb = join(release, `${program}_${version}_${cpu}.deb`);
    await succeed(["dpkg-deb", "--extract", deb, root], folder.path);
  }
  for (const bin of [join(prefix, "bin"), join(root, "usr/bin")]) {
    for (const program of PROGRAMS) {
      renameSync(join(bin, program), join(bin, `${program}-${here}`));
    }
    await tryBinaries(bin, here);
  }
});

test("npm installs both packages, and both run", async () => {
  const project = join(folder.path, "project");
  const packages = [`tokenctl-sdk-${version}.tgz`, `tokenctl-${version}.tgz`];
  await npmInstall(
    project,
    packages.map((name) => join(release, name)),
  );
  const tokenctl = join(project, "node_modules/.bin/tokenctl");
  expect(await succeed([tokenctl, "--version"], project)).toBe(`${version}\n`);
  const script =
    'import { TokenctlClient } from "@tokenctl/sdk"; console.log(typeof TokenctlClient)';
  expect(await succeed(["node", "--input-type=module", "--eval", script], project)).toBe(
    "function\n",
  );
});

// What the generators write is tested in install.test.ts and licenses.test.ts.
test("the bill of materials can be read, and the formula names the checksums", async () => {
  const { bomFormat, components } = await Bun.file(join(release, "sbom.cdx.json")).json();
  expect(bomFormat).toBe("CycloneDX");
  expect(components.length).toBeGreaterThan(100);
  const formula = await Bun.file(join(release, "tokenctl.rb")).text();
  const sums = await Bun.file(join(release, "SHA256SUMS")).text();
  for (const { name } of targets) {
    const [sum = ""] = new RegExp(`^[0-9a-f]{64}(?=  tokenctl-${name}$)`, "m").exec(sums) ?? [];
    expect(sum).toHaveLength(64);
    expect(formula).toContain(`tokenctl-${name}"\n      sha256 "${sum}"`);
  }
  if (Bun.which("ruby") === null) return;
  const ruby = await run(["ruby", "-c", join(release, "tokenctl.rb")], folder.path);
  expect(ruby).toMatchObject({ exitCode: 0 });
});
