import { describe, expect, test } from "bun:test";
import {
  ASSOCIATED_TOKEN_PROGRAM_ID,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { forgedInstructions } from "../../../test/support/forged-instructions.ts";
import {
  agent,
  build,
  costOf,
  excess,
  mint,
  refusal,
  SPONSORED_FEE,
  sponsor,
  sponsoredClaim,
  stranger,
  WRAPPED_SOL_RENT,
  wrappedSol,
} from "../../test/claim-transactions.ts";

const { publicKey } = agent;
const payer = sponsor.publicKey;
const MOST = WRAPPED_SOL_RENT + SPONSORED_FEE;
const sponsored = (claim: readonly TransactionInstruction[]) => build(claim, payer);
const saw = (claim: readonly TransactionInstruction[]) => refusal(sponsored(claim))?.saw;

const CLOSE_SOL = -3;
const CLOSE_TOKEN = -2;
const TRANSFER = -1;

/** The claim with one instruction replaced, or left out if `by` is missing. */
function changed(at: number, ...by: TransactionInstruction[]): TransactionInstruction[] {
  return sponsoredClaim().toSpliced(at, 1, ...by);
}

function exchanged(at: number, place: number, by: PublicKey): TransactionInstruction[] {
  const claim = sponsoredClaim();
  const key = claim.at(at)?.keys[place];
  const isSigner = by.equals(publicKey) || by.equals(payer);
  if (key) Object.assign(key, { pubkey: by, isSigner });
  return claim;
}

const isOfTokens = ({ programId }: TransactionInstruction) =>
  programId.equals(TOKEN_PROGRAM_ID) || programId.equals(ASSOCIATED_TOKEN_PROGRAM_ID);

describe("the check accepts a sponsored claim", () => {
  for (const program of [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID]) {
    test(`of a token of ${program}, which costs the network fee, and at most the rent that it repays`, () => {
      expect(costOf(sponsored(sponsoredClaim(program)))).toEqual({
        tokenMints: [mint.toBase58()],
        networkFeeLamports: SPONSORED_FEE,
        rentLamports: WRAPPED_SOL_RENT,
        createdAccounts: [],
        sponsor: {
          address: payer.toBase58(),
          repaidLamports: MOST,
          account: { address: wrappedSol.toBase58(), lamports: WRAPPED_SOL_RENT },
        },
      });
    });
  }

  test("that repays less, or nothing", () => {
    for (const lamports of [1n, MOST - 1n]) {
      expect(refusal(sponsored(sponsoredClaim(TOKEN_PROGRAM_ID, lamports)))).toBeNull();
    }
    expect(saw(changed(TRANSFER))).toBeUndefined();
  });

  test("into accounts that exist, if it repays the network fee alone", () => {
    const existing = (lamports: bigint) =>
      sponsoredClaim(TOKEN_PROGRAM_ID, lamports).slice(2).toSpliced(CLOSE_TOKEN, 1);
    expect(saw(existing(SPONSORED_FEE))).toBeUndefined();
    expect(saw(existing(SPONSORED_FEE + 1n))).toContain(
      "more than the 10000 that the sponsor pays",
    );
  });

  test("with a priority fee, which it repays too", () => {
    const setPrice = [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 100_000n }),
    ];
    const claim = (lamports: bigint) => [
      ...setPrice,
      ...sponsoredClaim(TOKEN_PROGRAM_ID, lamports),
    ];
    expect(costOf(sponsored(claim(MOST + 20_000n))).networkFeeLamports).toBe(30_000n);
    expect(saw(claim(MOST + 20_001n))).toContain("it repays");
    const terms = { maxNetworkFeeLamports: 29_999n };
    expect(excess(sponsored(claim(MOST)), terms)).toBe(30_000n);
  });
});

describe("the check refuses a sponsored claim", () => {
  test("that closes the agent's wrapped SOL to the sponsor, if wrapped SOL is among the tokens asked for", () => {
    const asked = {
      tokenMint: [mint.toBase58(), NATIVE_MINT.toBase58()],
      sandboxPool: undefined,
    };
    const theft = exchanged(CLOSE_SOL, 1, payer).toSpliced(TRANSFER, 1);
    for (const claim of [theft, theft.slice(2).toSpliced(CLOSE_TOKEN + 1, 1)]) {
      expect(refusal(sponsored(claim), asked)?.saw).toContain("CloseAccount's destination is");
    }
    expect(refusal(sponsored(sponsoredClaim()), asked)).toBeNull();
  });

  test("that makes an account with the agent's SOL", () => {
    const made = { fromPubkey: publicKey, basePubkey: publicKey, newAccountPubkey: stranger };
    const size = { seed: "x", lamports: 1, space: 0, programId: stranger };
    const claim = changed(TRANSFER, SystemProgram.createAccountWithSeed({ ...made, ...size }));
    expect(saw(claim)).toContain("something other than transfer SOL");
  });

  test("with anything changed but what the programs judge, or what only the sponsor loses by", () => {
    const ofTokens = (claim: readonly TransactionInstruction[]) =>
      new Set(claim.filter(isOfTokens).map((one) => JSON.stringify(one)));
    for (const forged of forgedInstructions(sponsoredClaim(), publicKey, [payer, publicKey])) {
      if (saw(forged) !== undefined) continue;
      expect(ofTokens(forged)).toEqual(ofTokens(sponsoredClaim()));
      const repaid = costOf(sponsored(forged)).sponsor?.repaidLamports ?? 0n;
      expect(repaid).toBeLessThanOrEqual(MOST);
      const transfers = forged.filter(({ programId }) => programId.equals(SystemProgram.programId));
      expect(transfers.length).toBeLessThan(2);
      for (const { keys } of transfers) expect(keys[1]?.pubkey).toEqual(payer);
    }
  });

  test("that a third wallet signs, or the agent first, or the agent's own account", () => {
    const { length } = sponsoredClaim();
    const withThird = sponsoredClaim();
    withThird[length - 1]?.keys.push({ pubkey: stranger, isSigner: true, isWritable: false });
    expect(saw(withThird)).toContain("alone or after a sponsor");
    expect(refusal(build(sponsoredClaim(), publicKey))?.saw).toContain("alone or after a sponsor");
    expect(refusal(build(sponsoredClaim(), wrappedSol))?.saw).toContain("alone or after a sponsor");
    const bytes = sponsored(sponsoredClaim());
    bytes.set(wrappedSol.toBytes(), 1 + 2 * 64 + 4);
    expect(refusal(bytes)?.saw).toContain("alone or after a sponsor");
  });

  test("that one of both has signed already", () => {
    for (const place of [1, 65]) {
      const bytes = sponsored(sponsoredClaim());
      bytes[place] = 1;
      expect(refusal(bytes)?.saw).toContain("already has a signature");
    }
  });

  test("with room for fewer signatures than it requires", () => {
    const bytes = sponsored(sponsoredClaim());
    const short = Uint8Array.from([1, ...bytes.subarray(65)]);
    expect(refusal(short)?.saw).toContain("requires 2 signers, but has room for 1");
  });
});
