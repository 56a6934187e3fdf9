import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SystemProgram, Transaction, TransactionInstruction } from "@solana/web3.js";
import stringWidth from "string-width";
import { agent, blockhash, fromBase64, stranger } from "../../../sdk/test/claim-transactions.ts";
import claims from "../../../sdk/test/fixtures/meteora-claims.json" with { type: "json" };
import { type RunOptions, run, TOKENCTL, tempDir } from "../testing/cli.ts";

async function explained(
  content: string | Uint8Array,
  args: string[] = [],
  options: RunOptions = {},
) {
  using folder = tempDir();
  const file = join(folder.path, "transaction");
  writeFileSync(file, content);
  return await run(["explain", file, ...args], options);
}

test("explain prints who signs, what it costs and what each instruction does", async () => {
  const { stdout, stderr, exitCode } = await explained(claims.curve);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(stdout).toStartWith(
    [
      `Fee payer    ${agent.publicKey}, not signed yet`,
      "Network fee  0.000025 SOL",
      "1            Allows at most 200000 compute units (Compute Budget: SetComputeUnitLimit)",
      "",
    ].join("\n"),
  );
  expect(stdout).toContain("Pays the creator's fees of the curve of pool ");
});

test("explain reads bytes, and stdin", async () => {
  const { stdout } = await explained(claims.curve);
  expect((await explained(fromBase64(claims.curve))).stdout).toBe(stdout);
  const child = Bun.spawn([...TOKENCTL, "explain", "-"], {
    env: { PATH: process.env.PATH, XDG_CONFIG_HOME: "/dev/null" },
    stdin: new Blob([`${claims.curve}\n`]),
  });
  expect(await new Response(child.stdout).text()).toBe(stdout);
  expect(await child.exited).toBe(0);
});

test("explain --json has amounts in digits", async () => {
  const { stdout } = await explained(claims.curve, ["--json"]);
  const data = JSON.parse(stdout);
  expect(data).toMatchObject({ version: "legacy", unknown: 0, networkFeeLamports: "25000" });
});

test.each([40, 80, 200])("explain breaks no word in %i cells", async (columns) => {
  const { stdout } = await explained(claims.both, [], { columns });
  const piped = await explained(claims.both);
  const words = (text: string) => text.split(/\s+/);
  expect(words(stdout)).toEqual(words(piped.stdout));
  const tooLong = stdout.split("\n").filter((line) => stringWidth(line) > columns);
  // At 40 cells, an address does not fit beside the indent and exceeds the width.
  for (const line of tooLong) {
    expect(stringWidth(line.split(" ").at(-1) ?? "")).toBeGreaterThan(columns - 4);
  }
});

test("explain warns of an instruction that is not known", async () => {
  const { publicKey: feePayer } = agent;
  const transaction = new Transaction({ feePayer, blockhash, lastValidBlockHeight: 1 }).add(
    SystemProgram.transfer({ fromPubkey: feePayer, toPubkey: stranger, lamports: 1 }),
    new TransactionInstruction({ programId: stranger, keys: [], data: Buffer.from("\u001b[2J") }),
  );
  const { stdout, stderr, exitCode } = await explained(
    transaction.serialize({ requireAllSignatures: false }),
  );
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    "warning: Not all of it is understood: do not sign this unless you know better\n",
  );
  expect(stdout).toContain(`Unknown: 4 bytes of data for 0 accounts. Program: ${stranger}`);
});

test.each([
  ["nothing", "", "There is nothing to explain"],
  ["words", "no transaction!", "The text is neither base64 nor base58"],
  ["too long a text", "A".repeat(5_600), "The text is too long"],
  ["too large a file", "A".repeat(9_000), "This is longer than any transaction"],
])("explain refuses %s as a usage error", async (_, content, error) => {
  const { stderr, exitCode } = await explained(content);
  expect(stderr).toStartWith(`error: ${error}\n`);
  expect(exitCode).toBe(2);
});
