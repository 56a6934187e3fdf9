import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { atWidth, openTerminal } from "../../cli/src/testing/terminal.ts";
import { SETTINGS } from "../../server/src/config/settings.ts";
import { readKeypairFile } from "../../server/src/solana/wallet-signer.ts";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { clusterSettings, writeKeypairFile } from "../support/cluster-settings.ts";
import { startTestNode } from "../support/node.ts";
import { ROOT, run, startTokend, TOKEND, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

const command = (...args: readonly string[]) => [...TOKEND, ...args];

const tokend = (...args: readonly string[]) => run(command(...args), ROOT);

test("tokend --help prints the grammar, names every setting, and fits 80 columns", async () => {
  const help = await tokend("--help");
  expect(help).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await tokend("help")).toMatchObject({ exitCode: 0, stdout: help.stdout });
  const named = new Set(help.stdout.match(/\b[A-Z][A-Z_]{2,}\b/g));
  expect(Object.keys(SETTINGS).filter((name) => !named.has(name))).toEqual([]);
  const [, settings = ""] = help.stdout.split("\nSettings");
  for (const line of settings.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test("an unknown command is refused, with the one that was meant", async () => {
  const { stdout, stderr, exitCode } = await tokend("docter");
  expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
  expect(stderr).toStartWith("error: unknown command 'docter'\n(Did you mean doctor?)");
});

test("tokend keygen writes a launch wallet that only its owner reads, and replaces none", async () => {
  using folder = tempDir();
  const path = join(folder.path, "launch.json");
  const { stdout, stderr, exitCode } = await tokend("keygen", path);
  expect(exitCode).toBe(0);
  expect(readKeypairFile(path).publicKey.toBase58()).toBe(stdout.trim());
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(stderr).toContain(`LAUNCH_KEYPAIR=${path}`);
  const before = readFileSync(path, "utf8");
  const again = await tokend("keygen", path);
  expect(again).toMatchObject({ stdout: "", exitCode: 1 });
  expect(again.stderr).toBe(`tokend: ${path} exists already\n`);
  expect(readFileSync(path, "utf8")).toBe(before);
  const nowhere = await tokend("keygen", join(folder.path, "none/launch.json"));
  expect(nowhere.stderr).toContain(`There is no folder ${join(folder.path, "none")}: make it.`);
  expect(nowhere.exitCode).toBe(1);
});

test("in a terminal the server's log is readable", async () => {
  using folder = tempDir();
  const dataDir = join(folder.path, "data");
  const terminal = openTerminal(command(), 120, { PORT: "0", DATA_DIR: dataDir });
  await terminal.shows(/\d\d:\d\d:\d\d\.\d{3} INFO {2}tokend listens \{"url":"http:/);
  terminal.type("\x03");
  const { lines, exitCode } = await terminal.end();
  expect(exitCode).toBe(0);
  expect(lines.filter((line) => line.startsWith("{"))).toEqual([]);
  expect(existsSync(dataDir)).toBe(true);
});

const SERVES = ["serve", "localnet --port 0"];

test.concurrent.each([...SERVES, "doctor", "revenue --help", "nonsense"])(
  "in a terminal of 0 columns, `tokend %s` ends, a server at Ctrl-C",
  async (line) => {
    using folder = tempDir();
    const settings = { PORT: "0", DATA_DIR: join(folder.path, "data"), HOME: folder.path };
    const terminal = openTerminal(atWidth(0, command(...line.split(" ")).join(" ")), 80, settings);
    const ended = terminal.end();
    if (SERVES.includes(line)) {
      await terminal.shows(/tokend listens|JSON-RPC on/);
      terminal.type("\x03");
    }
    const { exitCode, lines } = await ended;
    expect(exitCode).toBeLessThan(2);
    expect(lines.length).toBeGreaterThan(1);
  },
);

test("localnet names its port, and a busy one", async () => {
  using folder = tempDir();
  const programs = join(folder.path, "programs");
  const args = (port: number) => ["localnet", "--port", String(port), "--programs", programs];
  const port = await heldPort();
  // HOST is of servers.
  const terminal = openTerminal(command(...args(port)), 120, { HOST: "0.0.0.0" });
  await terminal.shows(`JSON-RPC on http://127.0.0.1:${port}`);
  const { stderr, exitCode } = await tokend(...args(port));
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`127.0.0.1:${port} is taken`);
  expect((await tokend(...args(65536))).stderr).toContain("a whole number from 0 to 65535");
  terminal.type("\x03");
  await terminal.end();
});

test("pull and accounts of localnet use the folder that --programs names, at either place", async () => {
  using folder = tempDir();
  await using node = startTestNode();
  const [programs, out] = [join(folder.path, "programs"), join(folder.path, "out")];
  const given = ["--programs", programs];
  const accounts = ["accounts", out];
  for (const args of [
    [...accounts, ...given],
    [...given, ...accounts],
  ]) {
    expect(await tokend("localnet", ...args)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`${programs} lacks `),
    });
  }
  const pulled = await tokend("localnet", "pull", "--rpc", node.url, ...given);
  expect(pulled).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("has no program") });
  expect(existsSync(programs)).toBe(true);
});

test("config create names a program that the cluster lacks before it asks for SOL, and sends nothing", async () => {
  using folder = tempDir();
  await using node = startTestNode();
  const { path } = writeKeypairFile(folder.path);
  const made = await run([...TOKEND, "config", "create"], folder.path, {
    RPC_URL: node.url,
    LAUNCH_KEYPAIR: path,
    MAX_DAILY_SPEND_SOL: "1",
  });
  expect(made).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      "tokend: The program Dynamic Bonding Curve (dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN) is not on this cluster. Check RPC_URL.\n",
  });
  expect(node.rpc.calls).not.toContain("sendTransaction");
});

test("healthcheck tells a server that may get requests from one that may not, and from none", async () => {
  using folder = tempDir();
  await using ready = await startTokend(TOKEND, folder.path);
  const check = (port: string) =>
    run([...TOKEND, "healthcheck"], folder.path, { HOST: "0.0.0.0", PORT: port });
  const { port } = new URL(ready.url);
  expect(await check(port)).toEqual({ exitCode: 0, stdout: "ready\n", stderr: "" });

  using other = tempDir();
  const { env } = clusterSettings(other.path);
  await using draining = await startTokend(TOKEND, other.path, { ...env, DRAIN_SECONDS: "300" });
  const its = new URL(draining.url).port;
  // Its RPC does not answer, which holds up launches alone.
  expect(await check(its)).toMatchObject({ exitCode: 0, stdout: "ready\n" });
  process.kill(draining.pid, "SIGTERM");
  while (!draining.output().includes('"msg":"draining')) await Bun.sleep(5);
  expect(await check(its)).toEqual({
    exitCode: 1,
    stdout: "not ready: This server is draining: it is about to stop\n",
    stderr: "",
  });

  await ready[Symbol.asyncDispose]();
  expect(await check(port)).toEqual({
    exitCode: 1,
    stdout: `no tokend answers at http://127.0.0.1:${port}/ready (ECONNREFUSED)\n`,
    stderr: "",
  });
});
