import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { exitCodeHelp } from "../../cli/src/errors.ts";
import { optionsOf, walk } from "../../cli/src/grammar/complete.ts";
import { createProgram as createTokenctl } from "../../cli/src/grammar/program.ts";
import { PAGES, withParts } from "../../scripts/commands-pages.ts";
import { createProgram as createTokend } from "../../server/src/program.ts";
import { NO_SANDBOX, testApp } from "../../server/src/testing/test-app.ts";
import { ROOT } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

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

const silent = { write: () => true, columns: async () => null, isTerminal: async () => false };
const programs = {
  tokenctl: createTokenctl({ out: silent, err: silent, env: {} }, async () => {}),
  tokend: createTokend(),
};

type Command = Parameters<typeof walk>[0];

/** @returns the commands that do something, by what users type, for example `tokend config create` */
function commandsBelow(command: Command, path = command.name()): [string, Command][] {
  const below = command.commands.filter((one) => !("_hidden" in one && one._hidden));
  if (below.length === 0) return [[path, command]];
  return below.flatMap((one) => commandsBelow(one, `${path} ${one.name()}`));
}

/** @returns the long flags of a command, but those of every command */
const flagsOf = (command: Command) => command.options.flatMap(({ long }) => long ?? []);

/** @returns whether a page names a command, as a whole word */
const names = (page: string, command: string) =>
  new RegExp(`(?<![\\w-])${command}(?![\\w-])`).test(page);

describe("every command and flag is found by one search", () => {
  test.each(PAGES)("the grammar of tokenctl is what %s says", (page) => {
    expect(withParts(read(page)), "run `bun scripts/commands-pages.ts`").toBe(read(page));
  });

  test("the flags and variables of tokenctl are in docs/cli.md", () => {
    const page = read("docs/cli.md");
    const flags = flagsOf(programs.tokenctl).filter((flag) => flag !== "--version");
    let help = "";
    programs.tokenctl.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    const variables = Array.from(
      help.matchAll(/^ {2}([A-Z]+_[A-Z_]+) /gm),
      ([, name = ""]) => name,
    );
    expect(variables.length).toBeGreaterThan(4);
    expect([...flags, ...variables].filter((name) => !page.includes(`${name}`))).toEqual([]);
  });

  test("the exit codes of docs/cli.md are those of --help", () => {
    const said = Array.from(
      read("docs/cli.md").matchAll(/^\| (\d+) \| (.+) \|$/gm),
      ([, code, text = ""]) => [code, text.replaceAll("`", "").replace(/^the /, "")],
    );
    const helped = Array.from(exitCodeHelp.matchAll(/^ {2}(\d+) +(.+)$/gm), ([, code, text]) => [
      code,
      text,
    ]);
    expect(said).toEqual(helped);
  });

  test.each(commandsBelow(programs.tokend))(
    "%s and its flags are in docs/operating.md or docs/postgresql.md",
    (path, command) => {
      const page = read("docs/operating.md") + read("docs/postgresql.md");
      expect(names(page, path)).toBe(true);
      expect(flagsOf(command).filter((flag) => !names(page, flag))).toEqual([]);
    },
  );
});

describe("no text names a command or flag that does not exist", () => {
  test.each(pages)("%s", (page) => {
    expect(commandLinesOf(read(page)).flatMap(([line, words]) => problemOf(line, words))).toEqual(
      [],
    );
  });

  test("which the check notices", () => {
    const wrong = ["`tokenctl lunch`", "`tokend admin stauts`", "```sh\ntokenctl fees --al\n```"];
    expect(
      commandLinesOf(wrong.join("\n")).flatMap(([line, words]) => problemOf(line, words)),
    ).toHaveLength(3);
  });
});

/** @returns each command line of a text, in blocks and in sentences, and its words */
function commandLinesOf(text: string): [string, string[]][] {
  const blocks = Array.from(text.matchAll(/^ *```sh\n(.*?)^ *```$/gms), ([, code = ""]) =>
    code.replaceAll("\\\n", ""),
  );
  const prose = text.replace(/^ *```.*?^ *```$/gms, "");
  const inline = Array.from(
    prose.matchAll(/`((?:tokend|tokenctl) [^`]+)`/g),
    ([, code = ""]) => code,
  );
  const commands = [...blocks, ...inline]
    .join("\n")
    .replaceAll(/ +#.*$/gm, "")
    .replaceAll(/"[^"\n]*"|'[^'\n]*'/g, "x");
  return Array.from(
    commands.matchAll(/(?<![\w/.=-])(?:tokend|tokenctl) (?!<command>)[^|;&>)\n]*/g),
    ([line]) => [line, line.trim().split(/ +/)],
  );
}

function problemOf(line: string, [name, ...words]: readonly string[]): string[] {
  const program = programs[name as keyof typeof programs];
  const { command, operands } = walk(
    program,
    words.filter((word) => word !== "…"),
  );
  const known = [...optionsOf(command).flatMap(({ long, short }) => [long, short]), "--help", "-h"];
  const flags = words
    .filter((word) => /^\[?--?[a-z]/.test(word))
    .map((word) => /--?[a-z][\w-]*/.exec(word)?.[0]);
  const isUnknown = command.commands.length > 0 && operands > 0;
  const isWrong = isUnknown || flags.some((flag) => !known.includes(flag));
  return isWrong ? [line] : [];
}

test("docs/agents.md lists every route, and no text names one that does not exist", async () => {
  using app = await testApp(NO_SANDBOX);
  const routes = app.app.routes.map(
    ({ method, path }) => `${method} ${path.replace(/(?<!\/tokens)\/$/, "")}`,
  );
  const [, table = ""] = read("docs/agents.md").split("## All routes");
  const routesOf = (text: string) =>
    Array.from(text.matchAll(/`((?:GET|POST|PUT|DELETE) \/[^`?]*)/g), ([, route = ""]) => route);
  expect(routesOf(table).toSorted()).toEqual(routes.toSorted());
  const shapes = routes.map((route) => route.replaceAll(/:\w+/g, ":x"));
  const unknown = pages.flatMap((page) =>
    routesOf(read(page)).filter((route) => !shapes.includes(route.replaceAll(/:\w+/g, ":x"))),
  );
  expect(unknown).toEqual([]);
});

test("docs/operating.md describes every metric that a server shows", async () => {
  await using server = await startTestServer({ METRICS_PORT: "0" });
  const metrics = await (await fetch(`${server.metricsUrl}`)).text();
  const shown = Array.from(metrics.matchAll(/^# HELP (tokend_\w+) /gm), ([, name = ""]) => name);
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.filter((name) => !names(read("docs/operating.md"), name))).toEqual([]);
});

test("every test that a page names exists", () => {
  const named = pages.flatMap(
    (page) => read(page).match(/(?<![\w/.*-])[\w/.-]+\.test\.ts\b/g) ?? [],
  );
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)));
  expect(missing).toEqual([]);
});
