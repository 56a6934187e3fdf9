import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { installBinaries } from "../support/binaries.ts";
import { type CommandResult, run, startTokend, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

const folder = tempDir();
const programs = await installBinaries(folder.path);
const tokenctl = programs.tokenctl;
const server = await startTokend([programs.tokend], folder.path);

afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function command(...args: string[]): Promise<CommandResult> {
  return run([tokenctl, ...args], folder.path, {
    TOKENCTL_API_URL: server.url,
    TOKENCTL_KEYPAIR: join(folder.path, "agent.json"),
  });
}

/** Runs a command that must succeed, and reads what it printed. */
async function json<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await command(...args, "--json");
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  return JSON.parse(stdout) as T;
}

test("the tests run the programs without any node_modules above them", () => {
  for (let at = folder.path; at !== dirname(at); at = dirname(at)) {
    expect(existsSync(join(at, "node_modules"))).toBeFalse();
  }
});

test("an agent gets from a new keypair to fees of both kinds in its wallet", async () => {
  await json("keygen");
  await json("dev", "airdrop", "--sol", "1");
  const launch = ["launch", "--name", "Compiled", "--ticker", "COMPILED"];
  const { status, tokenMint } = await json<{ status: string; tokenMint: string }>(...launch);
  expect(status).toBe("success");
  const claim = async () => (await json<{ claimedSOL: number }>("claim", tokenMint)).claimedSOL;
  await json("dev", "trade", tokenMint, "--sol", "2");
  expect(await claim()).toBeCloseTo(0.02, 6);

  await json("dev", "trade", tokenMint, "--sol", "1");
  await json("dev", "graduate", tokenMint);
  await json("dev", "trade", tokenMint, "--sol", "3");
  const { claims } = await json<{ claims: FeeRow[] }>("fees");
  const { dbcClaimableFees = 0, lpClaimableFees, isMigrated } = claims[0] ?? {};
  expect({ lpClaimableFees, isMigrated }).toEqual({ lpClaimableFees: 0.03, isMigrated: true });
  expect(dbcClaimableFees).toBeGreaterThan(0.01);
  expect(await claim()).toBeCloseTo(dbcClaimableFees + 0.03, 8);
  expect(await (await fetch(`${server.url}/skill.md`)).text()).toStartWith("---\nname: tokenctl\n");
});

interface FeeRow {
  readonly dbcClaimableFees: number;
  readonly lpClaimableFees: number;
  readonly isMigrated: boolean;
}

test("a binary that cannot unpack the sandbox's chain names the folder and what it must allow", async () => {
  using elsewhere = tempDir();
  const { tokend } = await installBinaries(elsewhere.path);
  for (const command of ["serve", "doctor", "localnet"]) {
    const env = { TMPDIR: "/proc", PORT: "0" };
    const { exitCode, stdout, stderr } = await run([tokend, command], elsewhere.path, env);
    expect(exitCode).toBe(1);
    expect(stdout + stderr).toContain("cannot be loaded by way of /proc: the folder must exist");
  }
});
