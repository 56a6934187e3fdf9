import { expect, test } from "bun:test";
import { AccountLayout, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { SystemProgram } from "@solana/web3.js";
import { decodeTokenAccount } from "./accounts.ts";

test("an account that is cut short, longer or foreign is no token account", () => {
  const owner = TOKEN_PROGRAM_ID;
  // Byte 108 says that it is initialized.
  const whole = Buffer.alloc(2 * AccountLayout.span).fill(1, 108, 109);
  const bytes = (length: number) => ({ owner, data: whole.subarray(0, length) });
  expect(decodeTokenAccount(bytes(AccountLayout.span))?.amount).toBe(0n);
  for (let length = 0; length < AccountLayout.span; length++) {
    expect(decodeTokenAccount(bytes(length))).toBeNull();
  }
  expect(decodeTokenAccount(bytes(AccountLayout.span + 1))).toBeNull();
  const foreign = { owner: SystemProgram.programId, data: Buffer.alloc(AccountLayout.span) };
  expect(decodeTokenAccount(foreign)).toBeNull();
  expect(decodeTokenAccount(null)).toBeNull();
});
