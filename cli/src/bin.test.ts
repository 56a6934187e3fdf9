import { expect, test } from "bun:test";
import { openSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { serveApi } from "./testing/api.ts";
import { finish, spawn, TOKENCTL, tempDir, temporaryWallet } from "./testing/cli.ts";
import { EVENT, tokenRecord } from "./testing/records.ts";

test("stdout has the result and nothing else", async () => {
  using wallet = temporaryWallet();
  const child = spawn(["address", "-k", wallet.keypair]);
  expect(await finish(child)).toEqual({
    stdout: `${wallet.address}\n`,
    stderr: "",
    exitCode: 0,
  });
});

test("--help and -h print the help text of the bundle on stdout", async () => {
  const [short, long] = await Promise.all([finish(spawn(["-h"])), finish(spawn(["--help"]))]);
  expect(long).toMatchObject({ stderr: "", exitCode: 0 });
  expect(long.stdout).toContain("Exit codes:");
  expect(short).toEqual(long);
});

test("no .env file of the current folder is read", async () => {
  using folder = tempDir();
  const text = "TOKENCTL_API_URL=http://evil.example\nexport NO_COLOR=1\n";
  writeFileSync(join(folder.path, ".env"), text);
  for (const [given, value] of [
    ["", "http://127.0.0.1:8787"],
    ["http://own.example", "http://own.example"],
  ]) {
    const child = Bun.spawn([...TOKENCTL, "config", "get", "api-url", "--json"], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, ...(given && { TOKENCTL_API_URL: given }) },
      stdout: "pipe",
    });
    expect(await new Response(child.stdout).json()).toMatchObject({ settings: [{ value }] });
  }
});

test.skipIf(process.getuid?.() !== 0)("a user without a home folder is served", async () => {
  const user = ["setpriv", "--reuid=54321", "--clear-groups", ...TOKENCTL];
  const env = { PATH: process.env.PATH };
  const child = Bun.spawn([...user, "config", "get", "keypair"], { env, stdout: "pipe" });
  expect(await new Response(child.stdout).text()).toContain(" /.config/solana/id.json ");
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends a command with exit code 130 and a hint to come back",
  async (signal) => {
    const polled = Promise.withResolvers<void>();
    await using api = serveApi({
      "POST /api/v1/tokens/launch": () => ({ success: true, eventId: EVENT, message: "" }),
      [`GET /api/v1/tokens/launch/status/${EVENT}`]: () => {
        polled.resolve();
        return new Promise(() => {});
      },
    });
    using wallet = temporaryWallet();
    const args = ["launch", "--name", "a", "--ticker", "AA", "--json", "--api-url", api.url];
    const child = spawn([...args, "-k", wallet.keypair]);
    await polled.promise;
    child.kill(signal);
    const { stdout, stderr, exitCode } = await finish(child);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 130 });
    expect(JSON.parse(stderr)).toEqual({
      error: "Interrupted; the launch is accepted and continues",
      code: "aborted",
      hint: `\`tokenctl status ${EVENT} --wait\` waits for it`,
      eventId: EVENT,
      exitCode: 130,
    });
  },
);

test("a result that cannot be written is a failure", async () => {
  // A launch may have ended `failed`, so the hint does not say that the command succeeded.
  const told =
    "error: Cannot write the result (ENOSPC)\nhint: The command was carried out. Send its output elsewhere\n";
  for (const args of [["--help"], ["--version"]]) {
    const stdout = openSync("/dev/full", "w");
    const child = Bun.spawn([...TOKENCTL, ...args], { stdout, stderr: "pipe" });
    expect(await child.exited).toBe(1);
    expect(await new Response(child.stderr).text()).toBe(told);
  }
});

/** An answer far larger than a pipe's buffer. */
const list = {
  tokens: Array.from({ length: 5_000 }, () =>
    tokenRecord({
      poolAddress: "p",
      tokenMint: "m",
      ticker: "T",
      tokenName: "n".repeat(200),
      deployedAt: "2026-11-21T09:30:00.123Z",
    }),
  ),
};

test("a large result comes whole through a pipe", async () => {
  await using api = serveApi({ "GET /api/v1/tokens/": () => list });
  using wallet = temporaryWallet();
  const child = spawn(["tokens", "--json", "--api-url", api.url, "-k", wallet.keypair]);
  const { stdout, exitCode } = await finish(child);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual(list);
});

test("a reader that stops early is no failure", async () => {
  await using api = serveApi({ "GET /api/v1/tokens/": () => list });
  using wallet = temporaryWallet();
  const child = spawn(["tokens", "--json", "--api-url", api.url, "-k", wallet.keypair]);
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  expect(await new Response(child.stderr).text()).toBe("");
  expect(await child.exited).toBe(0);
});

test("a command line is parsed without loading the SDK and the renderer", async () => {
  const script = `
    import { main } from ${JSON.stringify(`${import.meta.dir}/main.ts`)};
    const stream = { write() {}, isTerminal: async () => false };
    await main(["keygen", "--help"], { env: {}, out: stream, err: stream, onInterrupt: () => () => {} });
    console.log(Object.keys(require.cache).join("\\n"));
  `;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  const root = join(import.meta.dir, "../..");
  const files = (await new Response(child.stdout).text()).trimEnd().split("\n");
  const loaded = files.map((file) => relative(root, file));
  expect(loaded).toContain("cli/src/grammar/program.ts");
  const late =
    /^sdk\/|typebox\/.*compiler|node_modules\/string-width\/|^cli\/src\/(client|commands|explain|render|run-command)/;
  expect(loaded.filter((file) => late.test(file))).toEqual([]);
});
