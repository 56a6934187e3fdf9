import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { installPrograms } from "../../test/support/snippets.ts";
import { writeConfigFile } from "./own-files.ts";
import { serveApi } from "./testing/api.ts";
import { run, tempDir, temporaryWallet } from "./testing/cli.ts";
import { EVENT, launchStatus, tokenRecord } from "./testing/records.ts";

const OTHER = "1b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";
const launch = launchStatus({ tokenName: "n", createdAt: "now" });
const routes = {
  "GET /api/v1/tokens/": () => ({
    tokens: ["MINE", "MORE", "O\u202eTHER"].map((ticker) =>
      tokenRecord({ poolAddress: "p", tokenMint: "m", ticker, tokenName: `${ticker}\tname\nx` }),
    ),
  }),
  "GET /api/v1/tokens/launches": () => ({
    launches: [
      launch,
      { ...launch, eventId: OTHER, ticker: "MORE", status: "failed" },
      // This launch is older than the other one with its ticker.
      { ...launch, status: "failed" },
    ],
  }),
};

/** Returns the completions of the last word; with `about`, also their meanings. */
async function completed(words: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, exitCode } = await run(["complete", "--", ...words], { env });
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  return stdout.split("\n").filter(Boolean);
}
const values = async (...words: string[]) =>
  (await completed(words)).map((line) => line.split("\t")[0]);

test("a word becomes a command, or one of its subcommands", async () => {
  expect(await values("launc")).toEqual(["launch", "launches"]);
  expect(await values("dev", "")).toEqual(["airdrop", "trade", "graduate", "help"]);
  expect(await values("--json", "-k", "id.json", "dev", "tr")).toEqual(["trade"]);
  expect(await values("")).not.toContain("complete");
  expect(await values("help", "con")).toEqual(["config"]);
  expect(await values("help", "config", "li")).toEqual(["list"]);
  expect(await values("nonsense", "")).toEqual([]);
});

test("flags are those of the command, and of the program around it", async () => {
  expect(await values("launches", "--")).toEqual([
    ...["--status", "--limit", "--version", "--api-url", "--keypair", "--profile"],
    ...["--allow-nonce-without-host", "--json", "--quiet", "--help"],
  ]);
  expect(await values("dev", "trade", "--se")).toEqual(["--sell"]);
});

test("a flag's value is one of its choices, in each way to write it", async () => {
  expect(await values("launches", "--status", "")).toEqual([
    ...["pending", "success", "failed", "rate_limited"],
  ]);
  expect(await values("launches", "--status", "fa")).toEqual(["failed"]);
  expect(await values("launches", "--status=fa")).toEqual(["--status=failed"]);
  expect(await values("completion", "z")).toEqual(["zsh"]);
});

test("files are left to the shell", async () => {
  for (const words of [["-k"], ["--keypair"], ["keygen", "-o"], ["launch", "--image"]]) {
    expect(await values(...words, "")).toEqual([":files"]);
  }
});

test("tickers of tokens and of launches come from the server, each where it can be used", async () => {
  await using api = serveApi(routes);
  using wallet = temporaryWallet();
  const flags = ["--api-url", api.url, "-k", wallet.keypair];
  const of = (...words: string[]) => values(...flags, ...words);
  expect(await of("claim", "M")).toEqual(["MINE", "MORE"]);
  expect(await of("claim", "m")).toEqual(["MINE", "MORE"]);
  expect(await of("dev", "trade", "")).toEqual(["MINE", "MORE", "O\\u{202e}THER"]);
  expect(await completed([...flags, "claim", "MI"])).toEqual(["MINE\tMINE\\u{9}name\\u{a}x"]);
  expect(await of("status", "")).toEqual(["MINE", "MORE"]);
  expect(await of("cancel", "")).toEqual(["MINE"]);
  expect(await of("retry", "")).toEqual(["MORE"]);
  expect(await of("status", EVENT, "")).toEqual([]);
});

test("profiles come from the configuration, and their server is asked", async () => {
  await using api = serveApi(routes);
  using wallet = temporaryWallet();
  using folder = tempDir();
  const env = { XDG_CONFIG_HOME: folder.path, TOKENCTL_KEYPAIR: "" };
  const settings = { "api-url": api.url, keypair: wallet.keypair };
  writeConfigFile(env, { profiles: { one: settings, other: {} } });
  expect(await completed(["tokens", "--profile", "o"], env)).toEqual([
    `one\t${api.url}`,
    "other\t",
  ]);
  expect(await completed(["config", "use", "on"], env)).toEqual([`one\t${api.url}`]);
  expect(await completed(["--profile", "one", "claim", "MO"], env)).toHaveLength(1);
});

test("without a server or a wallet there is nothing to choose from, and no error", async () => {
  expect(await values("claim", "", "--api-url", "http://127.0.0.1:1")).toEqual([]);
  expect(await values("--api-url", "nonsense", "claim", "")).toEqual([]);
});

/** For each shell, a script that completes the words of `LINE` and prints what it offers. */
const SHELLS = {
  bash: `source <(tokenctl completion bash)
    # As bash cuts them.
    COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=()
    for word in "$@"; do
      while [[ $word =~ ^([^=:]*)([=:])(.*)$ ]]; do
        [[ -n \${BASH_REMATCH[1]} ]] && COMP_WORDS+=("\${BASH_REMATCH[1]}")
        COMP_WORDS+=("\${BASH_REMATCH[2]}"); word=\${BASH_REMATCH[3]}
        [[ -z $word ]] && continue 2
      done
      COMP_WORDS+=("$word")
    done
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); _tokenctl
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compdef() {}
    source <(tokenctl completion zsh)
    _describe() { local name=$2; print -rl -- \${(P)name%%:?*} }
    _files() { print files }
    words=("$@"); CURRENT=$#; _tokenctl`,
  fish: `tokenctl completion fish | source
    complete -C (string join ' ' -- $argv) | string replace -r '\\t.*' ''`,
} as const;

const programs = tempDir();
const bin = programs.path;
beforeAll(() => installPrograms(bin));
afterAll(() => programs[Symbol.dispose]());

describe.each(["bash", "zsh", "fish"] as const)("%s", (shell) => {
  const script = SHELLS[shell];
  const path = findProgram(shell);
  const offered = async (words: readonly string[], env: Record<string, string> = {}) => {
    const child = Bun.spawn(
      shell === "fish"
        ? [path ?? "", "--no-config", "-c", script, ...words]
        : [path ?? "", ...(shell === "zsh" ? ["-f"] : ["--norc"]), "-c", script, shell, ...words],
      {
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          HOME: bin,
          XDG_CONFIG_HOME: "/dev/null",
          ...env,
        },
        stderr: "pipe",
      },
    );
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(stderr).toBe("");
    return stdout.split("\n").filter(Boolean).sort();
  };

  test.skipIf(path === null)("completes commands, flags and what the server knows", async () => {
    await using api = serveApi(routes);
    using wallet = temporaryWallet();
    const env = { TOKENCTL_API_URL: api.url, TOKENCTL_KEYPAIR: wallet.keypair };
    expect(await offered(["tokenctl", "launc"])).toEqual(["launch", "launches"]);
    expect(await offered(["tokenctl", "launches", "--sta"])).toEqual(["--status"]);
    expect(await offered(["tokenctl", "claim", "M"], env)).toEqual(["MINE", "MORE"]);
    const own = ["--api-url", api.url, `--keypair=${wallet.keypair}`];
    expect(await offered(["tokenctl", ...own, "claim", "MI"])).toEqual(["MINE"]);
    const choice = shell === "bash" ? "failed" : "--status=failed";
    expect(await offered(["tokenctl", "launches", "--status=fa"])).toEqual([choice]);
    // A choice without a meaning shows no second column: zsh would show an empty one.
    expect(await offered(["tokenctl", "completion", ""])).toEqual(["bash", "fish", "zsh"]);
  });

  test.skipIf(path === null)("evaluates nothing that was typed", async () => {
    using folder = tempDir();
    const file = join(folder.path, "made");
    await offered(["tokenctl", "launch", "--name", `'$(touch ${file})'`, "--ti"]);
    await offered(["tokenctl", "status", `"\`touch ${file}\`"`, "--w"]);
    expect(await Bun.file(file).exists()).toBe(false);
  });
});
