import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatSecretKey, generateSecretKey } from "@tokenctl/sdk";
import { installBinaries } from "../support/binaries.ts";
import { ROOT, tempDir } from "../support/processes.ts";
import { SnippetRunner, snippetsIn } from "../support/snippets.ts";
import { startTestServer } from "../support/test-server.ts";

const FOLDER = join(ROOT, "skills/tokenctl");
const files = [...new Bun.Glob("**/*.md").scanSync(FOLDER)].sort();
const read = (file: string) => readFileSync(join(FOLDER, file), "utf8");

const programs = tempDir();
beforeAll(() => installBinaries(programs.path), 60_000);
afterAll(() => programs[Symbol.dispose]());

test.each(files)("every command and snippet of %s does what its text says", async (file) => {
  const snippets = snippetsIn(read(file));
  expect(snippets.length).toBeGreaterThan(0);
  await using server = await startTestServer();
  const folder = mkdtempSync(join(ROOT, "node_modules/.skill-"));
  await using runner = new SnippetRunner(folder, programs.path, server.url);
  if (!snippets.some(({ code }) => code.includes("tokenctl keygen"))) {
    const key = formatSecretKey(generateSecretKey());
    writeFileSync(join(folder, "id.json"), key, { mode: 0o600 });
  }
  for (const snippet of snippets) await runner.run(snippet);
});

test("the skill keeps to the format of agent skills", () => {
  const text = read("SKILL.md");
  const [, matter = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
  const fields = Bun.YAML.parse(matter) as Record<string, string>;
  expect(Object.keys(fields)).toEqual(["name", "description", "license", "compatibility"]);
  // The name is that of the folder: lower-case letters, digits and single hyphens.
  expect(fields.name).toBe("tokenctl");
  expect(fields.description?.length).toBeWithin(1, 1025);
  expect(fields.compatibility?.length).toBeWithin(1, 501);
  expect(text.split("\n").length).toBeLessThan(500);
});

test("every link of the skill leads to one of its files, and every file is linked", () => {
  const links = Array.from(read("SKILL.md").matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) => link);
  expect(links.filter((link) => !existsSync(join(FOLDER, link)))).toEqual([]);
  expect(files.filter((file) => file !== "SKILL.md" && !links.includes(file))).toEqual([]);
});
