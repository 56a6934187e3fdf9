import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { npmInstall, succeed } from "../support/packages.ts";
import { ROOT, tempDir } from "../support/processes.ts";

/** A copy of what the packages are made of, in which nothing was built. */
const folder = tempDir();
afterAll(() => folder[Symbol.dispose]());

beforeAll(async () => {
  const files = await succeed(["git", "ls-files"], ROOT);
  const needed = /^(?:sdk|cli|shared|scripts|skills)\/|^[^/]+$|\/package\.json$/;
  for (const file of files.split("\n").filter((name) => needed.test(name))) {
    await mkdir(dirname(join(folder.path, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder.path, file));
  }
  for (const name of [
    "node_modules",
    ...["sdk", "cli", "shared"].map((of) => `${of}/node_modules`),
  ]) {
    await symlink(join(ROOT, name), join(folder.path, name));
  }
});

for (const [name, entry, main] of [
  ["sdk", "dist/index.js", "@tokenctl/sdk/dist/index.js"],
  ["cli", "dist/tokenctl.js", "tokenctl/dist/tokenctl.js"],
] as const) {
  test(`the commands of ${name}/README.md build and install the package from a fresh clone, with its licence`, async () => {
    const readme = await Bun.file(join(ROOT, name, "README.md")).text();
    const command = /^cd (?:sdk|cli) && bun (pm pack --filename (\S+\.tgz))$/m.exec(readme);
    const [, pack = "", file = ""] = command ?? [];
    expect(readme).toMatch(new RegExp(`^npm install (?:-g )?\\S*/${RegExp.escape(file)}$`, "m"));
    await succeed([process.execPath, ...pack.split(" ")], join(folder.path, name));
    const packed = join(folder.path, name, file);
    const project = join(folder.path, `${name}-project`);
    await npmInstall(project, [packed]);
    expect(await Bun.file(join(project, "node_modules", main)).exists()).toBeTrue();
    const tarball = await Bun.file(packed).arrayBuffer();
    const files = await new Bun.Archive(tarball).files();
    expect([...files.keys()]).toContain(`package/${entry}`);
    expect([...files.keys()]).toContain("package/skills/tokenctl/SKILL.md");
    const licence = await Bun.file(join(ROOT, "LICENSE")).text();
    expect(await files.get("package/LICENSE")?.text()).toBe(licence);
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages).toEqual([]);
  }, 300_000);
}
