import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "../support/processes.ts";

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");
const pages = [
  "*.md",
  "docs/*.md",
  "cli/*.md",
  "sdk/*.md",
  "signers/*.md",
  "bench/*.md",
  "skills/**/*.md",
]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
  .sort();
const files = [
  ...new Bun.Glob(
    "{bench,cli,console,examples,ops,scripts,sdk,server,shared,signers,test}/**/*.{ts,py,sh}",
  ).scanSync(ROOT),
].filter((file) => !file.includes("node_modules"));
const withContents = pages.filter((page) => page.startsWith("docs/"));

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

/** @returns the text without code blocks */
const prose = (page: string) => read(page).replace(/^ *```[\s\S]*?^ *```$/gm, "");
const headingsOf = (page: string) =>
  Array.from(
    prose(page).matchAll(/^(#{2,3}) (.+)$/gm),
    ([, { length: level } = "", name = ""]) => ({
      level,
      name,
    }),
  );

/** @returns the links of a page that lead to no file or heading */
function brokenLinks(page: string): string[] {
  const links = Array.from(prose(page).matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link);
  return links.filter((link) => {
    if (/^(https?:|mailto:)/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const file = path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
    if (!existsSync(join(ROOT, file))) return true;
    return anchor !== undefined && !headingsOf(file).some(({ name }) => anchorOf(name) === anchor);
  });
}

describe("the texts of the repository", () => {
  test.each(pages)("every link of %s leads to a file and a heading that exist", (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  test.each(withContents)("the contents of %s list its sections in order", (page) => {
    const [, contents = ""] = read(page).split(/^## Contents$/m);
    const [list = ""] = contents.split(/^## /m);
    const listed = Array.from(list.matchAll(/^ *- \[(.+)\]\(#.+\)$/gm), ([, name = ""]) => name);
    const [first, ...sections] = headingsOf(page);
    // Sections of sections may be left out.
    const needed = sections.filter(({ level, name }) => level === 2 || listed.includes(name));
    expect(first?.name).toBe("Contents");
    expect(listed).toEqual(needed.map(({ name }) => name));
  });

  test.each(["AGENTS.md", ...withContents])("every file that %s names exists", (page) => {
    const named = Array.from(
      read(page).matchAll(/[`[]([\w./{},-]+\.(?:ts|py|sh))[`\]<]/g),
      ([, path = ""]) => path,
    );
    const paths = named.flatMap((path) => {
      const [, before = "", names = "", after = ""] = /^(.*)\{(.+)\}(.*)$/.exec(path) ?? [];
      return names === "" ? [path] : names.split(",").map((name) => before + name + after);
    });
    const isThere = (path: string) =>
      files.some((file) => file === path || file.endsWith(`/${path}`));
    // `modules/X.ts` stands for any.
    expect(paths.filter((path) => !path.includes("X.") && !isThere(path))).toEqual([]);
  });

  test("the README fits on three screens", () => {
    expect(read("README.md").split("\n").length).toBeLessThanOrEqual(130);
  });

  test.each([
    ["README.md", withContents],
    ["skills/tokenctl/SKILL.md", pages.filter((page) => page.startsWith("skills/"))],
  ])("%s links every page that belongs to it", (from, all) => {
    const text = read(from);
    const isLinked = (page: string) =>
      page === from || text.includes(`](${relative(dirname(from), page)})`);
    expect(all.filter((page) => !isLinked(page))).toEqual([]);
  });

  test("the skill keeps to the format of agent skills", () => {
    const text = read("skills/tokenctl/SKILL.md");
    const [, matter = ""] = /^---\n(.*?)\n---\n/s.exec(text) ?? [];
    const fields = Bun.YAML.parse(matter) as Record<string, string>;
    expect(Object.keys(fields)).toEqual(["name", "description", "license", "compatibility"]);
    // The name is that of the folder: lower-case letters, digits and single hyphens.
    expect(fields.name).toBe("tokenctl");
    expect(fields.description?.length).toBeWithin(1, 1025);
    expect(fields.compatibility?.length).toBeWithin(1, 501);
    expect(text.split("\n").length).toBeLessThan(500);
  });
});
