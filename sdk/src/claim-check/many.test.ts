import { expect, test } from "bun:test";
import {
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import type { TransactionInstruction } from "@solana/web3.js";
import { PublicKey } from "@solana/web3.js";
import {
  agent,
  build,
  closingClaim,
  costOf,
  keypair,
  localClaim,
  mint,
  pool,
  refusal,
  stranger,
  terms,
  tokenAccount,
  wrappedSol,
} from "../../test/claim-transactions.ts";
import { builder } from "../internal/program-address.ts";
import { DAMM_V2_PROGRAM, DBC_PROGRAM } from "./addresses.ts";
import { checkTransaction } from "./transaction.ts";

const { publicKey } = agent;
const otherMint = keypair(52).publicKey;
const otherPool = keypair(53).publicKey;
const otherVault = await PublicKey.createWithSeed(otherPool, "curve", TOKEN_PROGRAM_ID);
const both = {
  tokenMint: [mint.toBase58(), otherMint.toBase58()],
  sandboxPool: [pool.toBase58(), otherPool.toBase58()],
};

/** The place of the pool's vault of the token in an instruction that pays fees. */
const VAULT_OF_TOKEN: Readonly<Record<string, number>> = { [DBC_PROGRAM]: 4, [DAMM_V2_PROGRAM]: 5 };

/** A claim of two tokens: that of the first, and within it the same of the second. */
function claimOfBoth(tokenProgram = TOKEN_PROGRAM_ID): TransactionInstruction[] {
  const other = getAssociatedTokenAddressSync(otherMint, publicKey, false, tokenProgram);
  const account = getAssociatedTokenAddressSync(mint, publicKey, false, tokenProgram);
  const isOfToken = ({ keys }: TransactionInstruction) =>
    keys.some(({ pubkey }) => pubkey.equals(account));
  const second = closingClaim(tokenProgram).filter(isOfToken);
  for (const key of second.flatMap(({ keys }) => keys)) {
    if (key.pubkey.equals(mint)) key.pubkey = otherMint;
    if (key.pubkey.equals(account)) key.pubkey = other;
  }
  for (const { programId, keys } of second) {
    const vault = keys[VAULT_OF_TOKEN[programId.toBase58()] ?? -1];
    const seeds = ["token_vault", otherMint.toBase58(), String(keys[1]?.pubkey)] as const;
    if (vault) vault.pubkey = new PublicKey(builder.derived(programId.toBase58(), ...seeds));
  }
  return closingClaim(tokenProgram).toSpliced(-2, 0, ...second);
}

test.each([TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID])(
  "a claim of two tokens of %s costs the network fee alone",
  (program) => {
    const claim = build(claimOfBoth(program));
    expect(refusal(claim, both)).toBeNull();
    expect(refusal(claim)?.saw).toContain("neither the token nor wrapped SOL");
  },
);

test("a claim of one token is accepted if others are asked for too, as some may not fit", () => {
  expect(refusal(build(closingClaim()), both)).toBeNull();
  expect(costOf(build(closingClaim())).rentLamports).toBe(0n);
});

test("the accounts of one token are no accounts of the other", () => {
  const claim = claimOfBoth();
  for (const [index, { keys }] of claim.entries()) {
    for (const [place, key] of keys.entries()) {
      if (!key.pubkey.equals(otherMint)) continue;
      const changed = claimOfBoth();
      Object.assign(changed[index]?.keys[place] ?? {}, { pubkey: mint });
      expect(refusal(build(changed), both)).not.toBeNull();
      Object.assign(changed[index]?.keys[place] ?? {}, { pubkey: stranger });
      expect(refusal(build(changed), both)).not.toBeNull();
    }
  }
  const theft = createTransferInstruction(tokenAccount, wrappedSol, publicKey, 1n);
  expect(refusal(build([...claimOfBoth(), theft]), both)?.saw).toContain("takes from the agent's");
});

test("a sandbox's claim takes from the vaults of all tokens asked for, and of no other", () => {
  const take = createTransferInstruction(otherVault, wrappedSol, publicKey, 1n);
  const claim = build(localClaim().toSpliced(2, 0, take));
  expect(checkTransaction(claim, { ...terms, ...both }).tokenMints).toEqual(
    both.tokenMint.toReversed(),
  );
  expect(refusal(claim)?.saw).toContain("not a fee vault of the token's pool");
  expect(() => refusal(claim, { tokenMint: both.tokenMint })).toThrow("1 sandboxPools of 2 mints");
});
