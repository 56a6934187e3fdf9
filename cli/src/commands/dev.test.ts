import { expect, test } from "bun:test";
import { type Handler, runAgainst } from "../testing/api.ts";
import { MINT } from "../testing/records.ts";

const trade = {
  success: true,
  signature: "5sig",
  sol: 0.25,
  tokens: "1234567890000",
  creatorFeeSOL: 0.0025,
  isMigrated: false,
};

async function dev(path: string, answer: unknown, ...args: string[]) {
  const bodies: unknown[] = [];
  const handler: Handler = async (request) => {
    bodies.push(await request.json());
    return answer;
  };
  const finished = await runAgainst({ [`POST /dev/${path}`]: handler }, ["dev", ...args]);
  return { ...finished, bodies };
}

test("airdrop gives the agent 1 SOL by default, and sends amounts as numbers", async () => {
  const answer = { success: true, signature: "5sig", wallet: MINT, sol: 1 };
  const plain = await dev("airdrop", answer, "airdrop");
  expect(plain).toMatchObject({ stderr: "", exitCode: 0, bodies: [{ sol: 1 }] });
  expect(plain.stdout).toBe(`Airdropped   1 SOL\nWallet       ${MINT}\nTransaction  5sig\n`);
  const told = await dev("airdrop", answer, "airdrop", MINT, "--sol", "0.10");
  expect(told.bodies).toEqual([{ sol: 0.1, wallet: MINT }]);
});

test("trade buys, or with --sell sells", async () => {
  const bought = await dev("trade", { ...trade, side: "buy" }, ...["trade", MINT, "--sol", "0.25"]);
  expect(bought.bodies).toEqual([{ tokenMint: MINT, side: "buy", sol: 0.25 }]);
  expect(bought.stdout).toBe(
    [
      "Bought       1,234,567.89 tokens",
      "Paid         0.25 SOL",
      "Creator fee  0.0025 SOL",
      "Trades on    curve",
      "Transaction  5sig",
      "",
    ].join("\n"),
  );
  const sold = await dev(
    "trade",
    { ...trade, side: "sell", isMigrated: true },
    ...["trade", MINT, "--sol", "0.25", "--sell"],
  );
  expect(sold.bodies).toEqual([{ tokenMint: MINT, side: "sell", sol: 0.25 }]);
  expect(sold.stdout).toContain("Sold         1,234,567.89 tokens\nWorth        0.25 SOL\n");
  expect(sold.stdout).toContain("Trades on    pool\n");
});

test("graduate prints where the token trades now", async () => {
  const answer = { success: true, signature: "5sig", isMigrated: true };
  const { stdout, bodies } = await dev("graduate", answer, "graduate", MINT);
  expect(bodies).toEqual([{ tokenMint: MINT }]);
  expect(stdout).toBe("Trades on    pool\nTransaction  5sig\n");
});

test("a dev command exits with 4 at a server that is no sandbox, and says what it needs", async () => {
  const { stderr, exitCode } = await dev("other", {}, "airdrop");
  expect(exitCode).toBe(4);
  expect(stderr).toBe(
    "error: Not found\nhint: Check that --api-url has no path; `tokenctl dev` needs a sandbox server, which runs with CHAIN=local; other commands may need a newer server\n",
  );
});
