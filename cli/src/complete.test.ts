import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { installPrograms } from "../../test/support/snippets.ts";
import { run, tempDir } from "./testing/cli.ts";

async function values(...words: string[]) {
  const { stdout, stderr, exitCode } = await run(["complete", "--", ...words]);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  const lines = stdout.split("\n").filter(Boolean);
  return lines.map((line) => line.split("\t")[0]);
}

test("a word becomes a command, or one of its subcommands", async () => {
  expect(await values("launc")).toEqual(["launch", "launches"]);
  expect(await values("dev", "")).toEqual(["airdrop", "trade", "graduate", "help"]);
  expect(await values("--json", "-k", "id.json", "dev", "tr")).toEqual(["trade"]);
  expect(await values("")).not.toContain("complete");
  expect(await values("help", "config", "se")).toEqual(["set"]);
  expect(await values("nonsense", "")).toEqual([]);
});

test("flags are those of the command, and of the program around it", async () => {
  expect(await values("launches", "--")).toEqual([
    ...["--status", "--limit", "--version", "--api-url", "--keypair"],
    ...["--json", "--quiet", "--help"],
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
  const offered = async (words: readonly string[]) => {
    const child = Bun.spawn(
      shell === "fish"
        ? [path ?? "", "--no-config", "-c", script, ...words]
        : [path ?? "", ...(shell === "zsh" ? ["-f"] : ["--norc"]), "-c", script, shell, ...words],
      {
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          HOME: bin,
          XDG_CONFIG_HOME: "/dev/null",
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

  test.skipIf(path === null)("completes commands, flags and their choices", async () => {
    expect(await offered(["tokenctl", "launc"])).toEqual(["launch", "launches"]);
    expect(await offered(["tokenctl", "launches", "--sta"])).toEqual(["--status"]);
    const own = ["--api-url", "http://127.0.0.1:1", "--keypair=id.json"];
    expect(await offered(["tokenctl", ...own, "launches", "--sta"])).toEqual(["--status"]);
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
