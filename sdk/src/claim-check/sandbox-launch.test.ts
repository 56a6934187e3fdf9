import { describe, expect, test } from "bun:test";
import { forgedInstructions } from "../../../test/support/forged-instructions.ts";
import {
  agent,
  build as bytesOf,
  mark,
  stranger,
  wrappedSol,
} from "../../test/claim-transactions.ts";
import { sandboxLaunch as honest, RENT_PER_BYTE } from "../../test/sandbox-launch.ts";
import { checkLaunchTransaction } from "../check-transaction.ts";

const SOL = 1_000_000_000n;
const { publicKey } = agent;
const MIN_UNITS = 1_000_000n;

describe.each([
  ["without a first buy", undefined],
  ["with a first buy", { lamports: SOL / 2n, minUnits: MIN_UNITS }],
])("a sandbox's launch %s", (_, firstBuy) => {
  test("is known by its mark, and says its mint, its pool and what it takes", async () => {
    const { instructions, rentBytes, signers, terms } = await honest(firstBuy);
    const [tokenMint, poolAddress] = signers.map((key) => key.publicKey.toBase58());
    expect(await checkLaunchTransaction(bytesOf(instructions), terms)).toEqual({
      tokenMint: tokenMint ?? "",
      poolAddress: poolAddress ?? "",
      tokenStandard: "spl",
      networkFeeLamports: 15_000n,
      rentBytes,
      lamportsPerByte: RENT_PER_BYTE,
      metadataFeeLamports: 0n,
      firstBuyLamports: firstBuy?.lamports ?? 0n,
    });
  });

  test("is refused with any account, byte or instruction changed, but the amounts of its tokens", async () => {
    const { instructions, terms } = await honest(firstBuy);
    const accepted = new Set<number>();
    let forged = 0;
    for (const forgery of forgedInstructions(instructions, publicKey, [publicKey, wrappedSol])) {
      forged++;
      const checking = checkLaunchTransaction(bytesOf(forgery), terms);
      if (!(await checking.catch(() => null))) continue;
      accepted.add(forgery.findIndex(({ data }, at) => !instructions[at]?.data.equals(data)));
    }
    // Only the supply and the amount of the first buy are free.
    expect([...accepted]).toEqual([5, ...(firstBuy ? [17] : [])]);
    expect(forged).toBeGreaterThan(300);
  });
});

test("a sandbox's launch is refused for another agent or payer, another buy, or a higher fee", async () => {
  const { instructions, signers, terms } = await honest({ lamports: SOL, minUnits: MIN_UNITS });
  const bytes = bytesOf(instructions);
  const bought = (instructions.at(-1)?.data.readBigUInt64LE(1) ?? 0n) + 1n;
  for (const [changed, saw] of [
    [{ agent: stranger.toBase58() }, "its signers are"],
    [{ firstBuy: undefined }, "not part of the launch"],
    [{ firstBuy: { lamports: SOL - 1n, minUnits: 0n } }, "for 1000000000 lamports"],
    [{ firstBuy: { lamports: SOL, minUnits: bought } }, `it buys ${bought - 1n} units`],
    [{ maxNetworkFeeLamports: 14_999n }, "more than your maxNetworkFeeLamports"],
  ] as const) {
    const checking = checkLaunchTransaction(bytes, { ...terms, ...changed });
    await expect(checking).rejects.toThrow(saw);
  }
  const paidByMint = checkLaunchTransaction(bytesOf(instructions, signers[0]?.publicKey), terms);
  await expect(paidByMint).rejects.toThrow("its signers are");
  const unmarked = checkLaunchTransaction(bytesOf(instructions.slice(1)), terms);
  await expect(unmarked).rejects.toThrow("could land on a real chain");
  expect(instructions[0]).toEqual(mark());
});
