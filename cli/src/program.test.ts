import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Command } from "commander";
import { createProgram, rootHelp } from "./grammar/program.ts";
import { run } from "./testing/cli.ts";
import { MINT } from "./testing/records.ts";
import { processWorld } from "./world.ts";

const ROOT = join(import.meta.dir, "../..");

interface Documented {
  /** As typed, for example `config set`; empty for the program itself. */
  readonly name: string;
  readonly help: string;
  readonly isGroup: boolean;
}

function describe(command: Command, name: string): Documented[] {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const below = command.commands.flatMap((one) => describe(one, `${name} ${one.name()}`.trim()));
  return [{ name, help, isGroup: below.length > 0 }, ...below];
}

const everything = describe(
  createProgram(processWorld, async () => {}),
  "",
);
/** Every command except `complete`, which is for shells. */
const COMMANDS = everything.filter(({ name, isGroup }) => !isGroup && name !== "complete");

test("--help lists commands, settings and exit codes on stdout", async () => {
  const { stdout, stderr, exitCode } = await run(["--help"]);
  expect(exitCode).toBe(0);
  expect(stderr).toBe("");
  for (const { name } of COMMANDS) expect(stdout).toContain(`\n  ${name.split(" ")[0]}`);
  for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 130]) expect(stdout).toMatch(`\n  ${code} `);
  expect(stdout).toContain("TOKENCTL_KEYPAIR");
});

test("--help prints the text that the binary contains", async () => {
  expect(rootHelp()).toBe((await run(["--help"])).stdout);
});

test.each(COMMANDS.map(({ name, help }) => [name, help]))(
  "%s --help has an example",
  async (name, help) => {
    const { stdout, exitCode } = await run([...name.split(" "), "--help"]);
    expect({ stdout, exitCode }).toEqual({ stdout: help, exitCode: 0 });
    expect(stdout).toMatch(new RegExp(`\\n {2}\\$ .*tokenctl ${name}`));
  },
);

test("every command's help fits 80 columns, its examples included", () => {
  const lines = everything.flatMap(({ help }) => help.split("\n"));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test("a command that any text of the product names exists, with its flags", async () => {
  const wrong: string[] = [];
  for (const path of new Bun.Glob("*/src/**/*.{ts,tsx}").scanSync(ROOT)) {
    if (path.includes("test")) continue;
    const text = await Bun.file(join(ROOT, path)).text();
    for (const [, line = ""] of text.matchAll(/`tokenctl ([a-z][^`\\]*)/g)) {
      const found = COMMANDS.findLast(({ name }) => `${line} `.startsWith(`${name} `));
      const flags = line.match(/--[a-z-]+/g) ?? [];
      const isGroup = everything.some(({ name }) => name === line);
      const isRight = found && [...flags].every((flag) => found.help.includes(`${flag} `));
      if (!isRight && !isGroup) wrong.push(`${path}: ${line}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("--version prints only the version", async () => {
  const { version } = await Bun.file(`${import.meta.dir}/../package.json`).json();
  for (const flag of ["--version", "-V"]) {
    expect(await run([flag])).toEqual({ stdout: `${version}\n`, stderr: "", exitCode: 0 });
  }
});

test.each([[[]], [["dev"]]])(
  "without a command the help is printed on stderr: %j",
  async (args) => {
    const { stdout, stderr, exitCode } = await run(args);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain("Commands:");
  },
);

test.each([
  ["tokns", "unknown command 'tokns'. Did you mean tokens?", "tokenctl --help"],
  ["airdrop", "unknown command 'airdrop'. Did you mean dev airdrop?", "tokenctl --help"],
  ["ls", "unknown command 'ls'. Did you mean launches?", "tokenctl --help"],
  ["docter", "unknown command 'docter'. Did you mean health?", "tokenctl --help"],
  ["tokens --jso", "unknown option '--jso'. Did you mean --json?", "tokenctl tokens --help"],
  ["launch --image a --image-url b", "cannot be used with option", "tokenctl launch --help"],
  ["launch --tiker MINE", "unknown option '--tiker'", "tokenctl launch --help"],
  [`dev trade ${MINT} --soll 1`, "unknown option '--soll'", "tokenctl dev trade --help"],
  ["launch --ticker AA", "missing '--name <name>'", "tokenctl launch --help"],
  ["launch --ticker A!", "it must be 2 to 10 characters of A-Z and 0-9", "tokenctl launch --help"],
  [
    "launch --description A",
    "missing '--name <name>' and '--ticker <ticker>'",
    "tokenctl launch --help",
  ],
  ["status", "missing required argument 'launch'", "tokenctl status --help"],
  [
    "status no-launch",
    "'no-launch' is not valid as <launch>: it must be a ticker of 2 to 10 letters and digits",
    "tokenctl status --help",
  ],
  [
    "launches --status done",
    "'done' is not valid for --status <status>: it must be one of pending, success",
    "tokenctl launches --help",
  ],
  ["launches --limit 0", "a whole number from 1 to 1000", "tokenctl launches --help"],
  ["config set color red", "it must be one of api-url", "tokenctl config set --help"],
  ["completion tcsh", "it must be one of bash, zsh, fish", "tokenctl completion --help"],
  ["tokens extra", "too many arguments", "tokenctl tokens --help"],
  ["claim", "missing argument 'token', or --all", "tokenctl claim --help"],
  [`claim ${MINT} --all`, "not both", "tokenctl claim --help"],
  [`claim ${MINT} --max-total-fee-sol 0`, "an amount of SOL above 0", "tokenctl claim --help"],
  [`claim ${MINT} --to me`, "--to: 'me' is not the address of a wallet", "tokenctl claim --help"],
  [`dev trade ${MINT}`, "missing '--sol <amount>'", "tokenctl dev trade --help"],
  [`dev trade ${MINT} --sol 1e3`, "an amount of SOL above 0", "tokenctl dev trade --help"],
  ["dev airdrop --sol=-1", "an amount of SOL above 0", "tokenctl dev airdrop --help"],
  [
    "dev airdrop --sol 88446744073.70955161",
    "'88446744073.70955161'",
    "tokenctl dev airdrop --help",
  ],
  ["dev airdrop --sol 200000", "at most 100000", "tokenctl dev airdrop --help"],
  ["dev airdrop --sol 0.0000000001", "with at most 9 decimals", "tokenctl dev airdrop --help"],
  ["launch --name a --ticker AA --interval 0", "0.1 to 3600", "tokenctl launch --help"],
  ["watch --count 0", "a whole number from 1", "tokenctl watch --help"],
  ["watch --fees-above 0", "an amount of SOL above 0", "tokenctl watch --help"],
  ["webhooks test nonsense", "it must be a webhook's id, a UUID", "tokenctl webhooks test --help"],
  ["tokens --api-url", "argument missing", "tokenctl --help"],
])("`%s` is a usage error", async (line, message, help) => {
  const { stdout, stderr, exitCode } = await run(line.split(" "));
  expect(exitCode).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toStartWith("error: ");
  expect(stderr).toContain(message);
  expect(stderr).toContain(`\`${help}\``);
  expect(stderr.trimEnd().split("\n")).toHaveLength(2);
});

test("with --json a usage error is JSON too", async () => {
  const { stderr, exitCode } = await run(["claim", "--json"]);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stderr)).toEqual({
    error: "missing argument 'token', or --all for every token",
    code: "usage",
    hint: "`tokenctl claim --help` shows how to use it",
    exitCode: 2,
  });
});

test("global flags work before and after the command", async () => {
  for (const args of [
    ["--api-url", "nonsense", "health"],
    ["health", "--api-url", "nonsense"],
  ]) {
    const { stderr, exitCode } = await run(args);
    expect(stderr).toContain("error: --api-url is not a URL\nhint: Set it to the server's address");
    expect(exitCode).toBe(2);
  }
});
