import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Connection, LAMPORTS_PER_SOL, PublicKey } from "@solana/web3.js";
import { parseSol } from "@tokenctl/shared/sol";
import { installBinaries } from "../support/binaries.ts";
import { type CommandResult, run, startTokend, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

const folder = tempDir();
let wallet: PublicKey;

const programs = await installBinaries(folder.path);
const tokenctl = programs.tokenctl;
const server = await startTokend([programs.tokend], folder.path);
const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");

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

const lamports = (sol: number) => parseSol(sol.toFixed(9));
const balance = async () => BigInt(await chain.getBalance(wallet));

/** Claims, and checks to the lamport that the vaults paid what the wallet gained plus the fee. */
async function claimExactly(mint: string): Promise<bigint> {
  const before = await balance();
  const claim = await json<{ transactionHash: string; claimedSOL: number }>("claim", mint);
  const after = await balance();
  const landed = await chain.getTransaction(claim.transactionHash, { commitment: "confirmed" });
  const fee = BigInt(landed?.meta?.fee ?? -1);
  expect(fee).toBe(5_000n);
  expect(after - before + fee).toBe(lamports(claim.claimedSOL));
  return lamports(claim.claimedSOL);
}

test("the tests run the programs without any node_modules above them", () => {
  for (let at = folder.path; at !== dirname(at); at = dirname(at)) {
    expect(existsSync(join(at, "node_modules"))).toBeFalse();
  }
});

test("an agent gets from a new keypair to fees of both kinds in its wallet", async () => {
  const { address } = await json<{ address: string }>("keygen");
  wallet = new PublicKey(address);
  await json("login");
  await json("dev", "airdrop", "--sol", "1");
  expect(await balance()).toBe(BigInt(LAMPORTS_PER_SOL));

  const launch = await json<{ status: string; eventId: string; tokenMint: string }>(
    "launch",
    "--name",
    "Compiled",
    "--ticker",
    "COMPILED",
  );
  expect(launch.status).toBe("success");
  expect(await json<object>("status", launch.eventId)).toMatchObject({ status: "success" });
  const mint = launch.tokenMint;
  const { value: supply } = await chain.getTokenSupply(new PublicKey(mint));
  expect(BigInt(supply.amount)).toBeGreaterThan(0n);

  await json("dev", "trade", mint, "--sol", "2");
  await json("dev", "trade", mint, "--sol", "0.5", "--sell");
  const [fees] = await feeTable();
  expect(fees?.dbcClaimableFees).toBeCloseTo(0.025, 6);
  expect(await claimExactly(mint)).toBe(lamports(fees?.dbcClaimableFees ?? 0));

  await json("dev", "trade", mint, "--sol", "1");
  expect(await json<object>("dev", "graduate", mint)).toMatchObject({ isMigrated: true });
  await json("dev", "trade", mint, "--sol", "3");
  const [both] = await feeTable();
  expect(both?.isMigrated).toBeTrue();
  const expected = lamports(both?.dbcClaimableFees ?? 0) + lamports(both?.lpClaimableFees ?? 0);
  expect(lamports(both?.dbcClaimableFees ?? 0)).toBeGreaterThan(0n);
  expect(lamports(both?.lpClaimableFees ?? 0)).toBe(lamports(0.03));
  expect(await claimExactly(mint)).toBe(expected);

  const empty = await command("claim", mint);
  expect(empty.exitCode).toBe(5);
  expect(await json<object>("token", mint)).toMatchObject({ isClaimed: true });
  expect(await (await fetch(`${server.url}/skill.md`)).text()).toStartWith("---\nname: tokenctl\n");
});

test("the compiled server copies commits into the database's file in a thread", async () => {
  const file = join(folder.path, "data", "tokend.sqlite");
  const copy = join(folder.path, "copy.sqlite");
  const tokens = () => {
    copyFileSync(file, copy);
    using db = new Database(copy);
    try {
      return db.query("select ticker from tokens").values().flat();
    } catch {
      return [];
    }
  };
  while (tokens().length === 0) await Bun.sleep(50);
  expect(tokens()).toEqual(["COMPILED"]);
});

interface FeeRow {
  readonly dbcClaimableFees: number;
  readonly lpClaimableFees: number;
  readonly isMigrated: boolean;
}

async function feeTable(): Promise<FeeRow[]> {
  return (await json<{ claims: FeeRow[] }>("fees")).claims;
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
