import { expect, test } from "bun:test";
import { rootHelp } from "./root-help.ts";
import { run } from "./testing/cli.ts";

const MINT = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
const EVENT = "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";
const COMMANDS = [
  "keygen",
  "address",
  "balance",
  "login",
  "redeem",
  "launch",
  "launches",
  "status",
  "retry",
  "cancel",
  "tokens",
  "token",
  "fees",
  "claim",
  "history",
  "watch",
  "webhooks add",
  "webhooks list",
  "webhooks remove",
  "webhooks test",
  "webhooks deliveries",
  "webhooks replay",
  "webhooks rotate",
  "health",
  "config list",
  "config set",
  "config unset",
  "config use",
  "dev airdrop",
  "dev trade",
  "dev graduate",
];

test("--help lists commands, settings and exit codes on stdout", async () => {
  const { stdout, stderr, exitCode } = await run(["--help"]);
  expect(exitCode).toBe(0);
  expect(stderr).toBe("");
  for (const command of COMMANDS) expect(stdout).toContain(`\n  ${command.split(" ")[0]}`);
  for (const code of [0, 1, 2, 3, 4, 5, 6, 7, 130]) expect(stdout).toMatch(`\n  ${code} `);
  expect(stdout).toContain("TOKENCTL_KEYPAIR");
});

test("--help prints the text that the binary contains", async () => {
  expect(rootHelp()).toBe((await run(["--help"])).stdout);
});

test.each(COMMANDS)(
  "%s --help has an example and, except for examples, fits 80 columns",
  async (name) => {
    const { stdout, exitCode } = await run([...name.split(" "), "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`\n  $ tokenctl ${name}`);
    const [usage = ""] = stdout.split("\nExamples:");
    for (const line of usage.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  },
);

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
  ["tokens --jso", "unknown option '--jso'. Did you mean --json?", "tokenctl tokens --help"],
  ["launch --ticker A", "required option '--name <name>' is missing", "tokenctl launch --help"],
  [
    "launch --description A",
    "required options '--name <name>' and '--ticker <ticker>' are missing",
    "tokenctl launch --help",
  ],
  ["config bogus", "unknown command 'bogus'", "tokenctl config --help"],
  ["config bogus --help", "unknown command 'bogus'", "tokenctl config --help"],
  ["help bogus", "unknown command 'bogus'", "tokenctl --help"],
  ["help config bogus", "unknown command 'bogus'", "tokenctl config --help"],
  ["config help bogus", "unknown command 'bogus'", "tokenctl config --help"],
  ["keygen --words 24", "only for --seed-phrase", "tokenctl keygen --help"],
  ["keygen --passphrase", "need --seed-phrase or --restore", "tokenctl keygen --help"],
  ["keygen --derivation-path", "need --seed-phrase or --restore", "tokenctl keygen --help"],
  ["status", "missing required argument 'eventId'", "tokenctl status --help"],
  ["status nonsense", "An event id is a UUID", "tokenctl status --help"],
  ["token no-token", "Give a ticker of 2 to 10 letters and digits", "tokenctl token --help"],
  ["launches --status done", "Allowed choices are pending, success", "tokenctl launches --help"],
  ["launches --limit 0", "a number from 1 to 1000", "tokenctl launches --help"],
  ["cancel nonsense", "An event id is a UUID", "tokenctl cancel --help"],
  ["config set color red", "Allowed choices are api-url", "tokenctl config set --help"],
  ["tokens --profile a/b", "letters, digits", "tokenctl --help"],
  ["keygen --restore --seed-phrase", "cannot be used with", "tokenctl keygen --help"],
  ["keygen --derivation-path m/44/501", "hardened steps", "tokenctl keygen --help"],
  ["completion tcsh", "Allowed choices are bash, zsh, fish", "tokenctl completion --help"],
  ["tokens extra", "too many arguments", "tokenctl tokens --help"],
  ["claim", "missing argument 'mint', or --all", "tokenctl claim --help"],
  [`claim ${MINT} --all`, "not both", "tokenctl claim --help"],
  [`claim ${MINT} --min-sol 1`, "only for --all", "tokenctl claim --help"],
  ["claim --all --concurrency 17", "a number from 1 to 16", "tokenctl claim --help"],
  [`claim ${MINT} --max-total-fee-sol 0`, "a number above 0", "tokenctl claim --help"],
  ["history --from yesterday", "Give a date or a UTC time", "tokenctl history --help"],
  ["history --csv --jsonl", "cannot be used with option", "tokenctl history --help"],
  [`dev trade ${MINT}`, "'--sol <amount>' is missing", "tokenctl dev trade --help"],
  [`dev trade ${MINT} --sol 0`, "a number above 0", "tokenctl dev trade --help"],
  [`dev trade ${MINT} --sol 1e3`, "a number above 0", "tokenctl dev trade --help"],
  ["dev airdrop --sol=-1", "a number above 0", "tokenctl dev airdrop --help"],
  [
    "dev airdrop --sol 0.0000000001",
    "at most 9 decimals: a lamport is 0.000000001",
    "tokenctl dev airdrop --help",
  ],
  ["launch --name a --ticker A --interval 0", "0.1 to 3600", "tokenctl launch --help"],
  ["webhooks test nonsense", "A webhook's id is a UUID", "tokenctl webhooks test --help"],
  [`webhooks replay ${EVENT}`, "either --event", "tokenctl webhooks replay --help"],
  [
    `webhooks replay ${EVENT} --event 1 --after 1`,
    "either --event",
    "tokenctl webhooks replay --help",
  ],
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

test.each(["tokns --help", "tokns -h", "tokns --version", "dev nonsense --help", "help tokns"])(
  "`%s` names an unknown command, and so is no success",
  async (line) => {
    const { stdout, stderr, exitCode } = await run(line.split(" "));
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    if (!line.startsWith("help")) expect(stderr).toContain("unknown command");
  },
);

test.each(["help", "help launch", "dev --help", "dev help trade", "launch --help"])(
  "`%s` is a success",
  async (line) => {
    expect((await run(line.split(" "))).exitCode).toBe(0);
  },
);

test("with --json a usage error is JSON too", async () => {
  const { stderr, exitCode } = await run(["claim", "--json"]);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stderr)).toEqual({
    error: "missing argument 'mint', or --all for every token",
    code: "usage",
    hint: "`tokenctl claim --help` shows how it is used",
    exitCode: 2,
  });
});

test("global flags work before and after the command", async () => {
  for (const args of [
    ["--api-url", "nonsense", "health"],
    ["health", "--api-url", "nonsense"],
  ]) {
    const { stderr, exitCode } = await run(args);
    expect(stderr).toContain("The server's address is not a URL");
    expect(exitCode).toBe(2);
  }
});
