import { describe, expect, test } from "bun:test";
import { createApproveInstruction, createTransferInstruction } from "@solana/spl-token";
import { ComputeBudgetProgram, SystemProgram, TransactionInstruction } from "@solana/web3.js";
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

  test("is refused with any account replaced, so that its payments go nowhere else", async () => {
    const { instructions, terms } = await honest(firstBuy);
    let forged = 0;
    for (const [index, instruction] of instructions.entries()) {
      for (const [place, key] of instruction.keys.entries()) {
        for (const pubkey of [stranger, publicKey, wrappedSol]) {
          if (pubkey.equals(key.pubkey)) continue;
          const isSigner = pubkey.equals(publicKey);
          const keys = instruction.keys.with(place, { ...key, pubkey, isSigner });
          const changed = new TransactionInstruction({ ...instruction, keys });
          const bytes = bytesOf(instructions.with(index, changed));
          await expect(checkLaunchTransaction(bytes, terms)).rejects.toThrow("Refused to sign");
          forged++;
        }
      }
    }
    expect(forged).toBeGreaterThan(firstBuy ? 130 : 90);
  });

  test("is refused with any byte changed but those of amounts of its tokens", async () => {
    const { instructions, terms } = await honest(firstBuy);
    const accepted = new Set<string>();
    for (const [index, instruction] of instructions.entries()) {
      for (const place of instruction.data.keys()) {
        const data = Buffer.from(instruction.data);
        data[place] = (data[place] ?? 0) ^ 1;
        const changed = new TransactionInstruction({ ...instruction, data });
        const bytes = bytesOf(instructions.with(index, changed));
        const checking = checkLaunchTransaction(bytes, terms);
        if (await checking.catch(() => null)) accepted.add(`${index}`);
      }
    }
    // How many tokens there are, and are bought.
    expect([...accepted]).toEqual(["5", ...(firstBuy ? ["17"] : [])]);
  });

  test("is refused with an instruction added, left out, repeated or moved", async () => {
    const { instructions, terms } = await honest(firstBuy);
    const added = [
      SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: stranger, lamports: 1 }),
      createTransferInstruction(wrappedSol, stranger, publicKey, 1n),
      createApproveInstruction(wrappedSol, stranger, publicKey, 1n),
      ComputeBudgetProgram.requestHeapFrame({ bytes: 65_536 }),
    ];
    const forgeries = instructions.flatMap((one, index) => {
      const next = instructions[index + 1];
      return [
        ...added.map((extra) => instructions.toSpliced(index, 0, extra)),
        instructions.toSpliced(index, 1),
        instructions.toSpliced(index, 0, one),
        ...(next ? [instructions.toSpliced(index, 2, next, one)] : []),
      ];
    });
    for (const forgery of forgeries) {
      const checking = checkLaunchTransaction(bytesOf(forgery), terms);
      await expect(checking).rejects.toThrow("Refused to sign");
    }
  });
});

test("a sandbox's launch is refused for another agent, another buy, or a higher fee", async () => {
  const { instructions, terms } = await honest({ lamports: SOL, minUnits: MIN_UNITS });
  const bytes = bytesOf(instructions);
  const bought = (instructions.at(-1)?.data.readBigUInt64LE(1) ?? 0n) + 1n;
  for (const [changed, saw] of [
    [{ agent: stranger.toBase58() }, "its signers are"],
    [{ firstBuy: undefined }, "no part of the launch"],
    [{ firstBuy: { lamports: SOL - 1n, minUnits: 0n } }, "for 1000000000 lamports"],
    [{ firstBuy: { lamports: SOL, minUnits: bought } }, `it buys ${bought - 1n} units`],
    [{ maxNetworkFeeLamports: 14_999n }, "more than your maxNetworkFeeLamports"],
  ] as const) {
    const checking = checkLaunchTransaction(bytes, { ...terms, ...changed });
    await expect(checking).rejects.toThrow(saw);
  }
  const unmarked = checkLaunchTransaction(bytesOf(instructions.slice(1)), terms);
  await expect(unmarked).rejects.toThrow("could land on a real chain");
  expect(instructions[0]).toEqual(mark());
});
