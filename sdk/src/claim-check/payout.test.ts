import { describe, expect, test } from "bun:test";
import {
  createAssociatedTokenAccountInstruction,
  createCloseAccountInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
} from "@solana/spl-token";
import { type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import { forgedInstructions } from "../../../test/support/forged-instructions.ts";
import {
  agent,
  build,
  closingClaim,
  feeVault,
  keypair,
  localClaim,
  PAID,
  payingClaim,
  refusal,
  SPONSORED_FEE,
  sponsor,
  sponsoredClaim,
  stranger,
  terms,
  wrappedSol,
} from "../../test/claim-transactions.ts";
import { InvalidArgumentError } from "../errors.ts";
import type { ClaimReceiver } from "./terms.ts";
import { checkTransaction } from "./transaction.ts";

const { publicKey } = agent;
const [first, second, third] = [51, 52, 53].map((seed) => keypair(seed).publicKey) as [
  PublicKey,
  PublicKey,
  PublicKey,
];
const receiver = (address: PublicKey, share: number): ClaimReceiver => ({
  address: address.toBase58(),
  share,
});
/** 70 %, 20 % and 10 % of 3,200,001 lamports: the first gets the remainder. */
const receivers = [receiver(first, 70), receiver(second, 20), receiver(third, 10)];
const AMOUNTS = [2_240_001n, 640_000n, 320_000n] as const;
const payments = [first, second, third].map((to, place) => ({
  to,
  lamports: AMOUNTS[place] ?? 0n,
}));

const pay = (to: PublicKey, lamports: bigint, from = publicKey) =>
  SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports });
const prove = (lamports: bigint, from = wrappedSol, to = from, authority = publicKey) =>
  createTransferInstruction(from, to, authority, lamports);
const unwrap = createCloseAccountInstruction(wrappedSol, publicKey, publicKey);
const make = createAssociatedTokenAccountInstruction(publicKey, wrappedSol, publicKey, NATIVE_MINT);

/** Claims that pay the receivers: on a sandbox, and for each token standard. */
const claims = {
  sandbox: payingClaim(localClaim(), payments),
  "SPL Token": payingClaim(closingClaim(), payments),
  "Token-2022": payingClaim(closingClaim(TOKEN_2022_PROGRAM_ID), payments),
  "with wrapped SOL before": [unwrap, ...payingClaim(closingClaim(), payments)],
};
type Kind = keyof typeof claims;

const saw = (claim: readonly TransactionInstruction[], payer = publicKey) =>
  refusal(build(claim, payer), { receivers })?.saw;

const place = (claim: readonly TransactionInstruction[], which: (hex: string) => boolean) =>
  claim.findIndex(({ programId, data }) => which(`${programId} ${data.toString("hex")}`));
const proofAt = (claim: readonly TransactionInstruction[]) =>
  place(claim, (hex) => hex.startsWith("Tokenkeg") && hex.split(" ")[1]?.startsWith("03") === true);
const firstPayment = (claim: readonly TransactionInstruction[]) =>
  claim.findIndex(({ programId }) => programId.equals(SystemProgram.programId));

describe("the check accepts a claim that pays the receivers", () => {
  for (const [kind, claim] of Object.entries(claims)) {
    test(`by their shares, and says what each gets: ${kind}`, () => {
      const cost = checkTransaction(build(claim), { ...terms, receivers });
      expect(cost.receivers).toEqual(
        receivers.map(({ address }, index) => ({ address, lamports: AMOUNTS[index] ?? 0n })),
      );
      expect(cost.rentLamports).toBe(0n);
    });
  }

  test("of one wallet, of five, and of the agent, whose share stays", () => {
    const one = payingClaim(closingClaim(), [{ to: first, lamports: PAID }]);
    expect(refusal(build(one), { receivers: first.toBase58() })).toBeNull();
    const wallets = [61, 62, 63, 64, 65].map((seed) => keypair(seed).publicKey);
    const five = wallets.map((to, index) => ({ to, lamports: index === 0 ? 640_001n : 640_000n }));
    const named = wallets.map((to) => receiver(to, 20));
    expect(refusal(build(payingClaim(closingClaim(), five)), { receivers: named })).toBeNull();
    const own = [{ to: publicKey, lamports: 0n }, ...payments.slice(1)];
    const withOwn = [receiver(publicKey, 70), ...receivers.slice(1)];
    const claim = payingClaim(closingClaim(), own);
    const cost = checkTransaction(build(claim), { ...terms, receivers: withOwn });
    expect(cost.receivers?.[0]).toEqual({ address: publicKey.toBase58(), lamports: 2_240_001n });
  });
});

/** Forgeries of any of the claims; each must be refused. */
const forgeries: Record<string, (claim: TransactionInstruction[]) => TransactionInstruction[]> = {
  "the remainder to the second": (claim) =>
    claim.toSpliced(
      firstPayment(claim),
      2,
      pay(first, AMOUNTS[0] - 1n),
      pay(second, AMOUNTS[1] + 1n),
    ),
  "all to the first": (claim) => claim.toSpliced(firstPayment(claim), 3, pay(first, PAID)),
  "no transfer": (claim) => claim.toSpliced(firstPayment(claim), 3),
  "a checked transfer as its proof": (claim) =>
    claim.toSpliced(
      proofAt(claim),
      1,
      createTransferCheckedInstruction(wrappedSol, NATIVE_MINT, wrappedSol, publicKey, PAID, 9),
    ),
  "the proof before the SOL of before is unwrapped": (claim) => {
    const at = proofAt(claim);
    return [claim[at] as TransactionInstruction, unwrap, ...claim.toSpliced(at, 1)];
  },
  "SOL of the wallet wrapped before the proof": (claim) =>
    claim.toSpliced(
      proofAt(claim),
      0,
      pay(wrappedSol, 1n),
      createSyncNativeInstruction(wrappedSol),
    ),
  "SOL that lies in the account counted": (claim) =>
    claim.toSpliced(proofAt(claim), 0, createSyncNativeInstruction(wrappedSol)),
  "the account unwrapped and made again after the fees": (claim) =>
    claim.toSpliced(proofAt(claim), 0, unwrap, make),
};

/**
 * The parts of a claim that make, fill, prove and close the account for wrapped SOL, and that pay
 * the receivers, in their order. The fees may come in any order, and of any of the agent's pools.
 */
function outline(claim: readonly TransactionInstruction[]): string[] {
  const isOwn = (key: TransactionInstruction["keys"][number] | undefined) =>
    key?.pubkey.equals(wrappedSol) === true;
  const parts = claim.flatMap((one) => {
    const { programId, keys } = one;
    const isTransfer = programId.equals(SystemProgram.programId);
    if (!isTransfer && !keys.some(isOwn)) return [];
    const isFee = !isTransfer && keys.length !== 6 && !isOwn(keys[0]);
    return [isFee ? "fees" : JSON.stringify(one)];
  });
  return parts.filter((part, at) => part !== "fees" || parts[at - 1] !== "fees");
}

test.each(["sandbox", "SPL Token"] as const)(
  "the check refuses a claim whose payment is changed anywhere: %s",
  (kind) => {
    for (const forged of forgedInstructions(claims[kind], publicKey)) {
      if (saw(forged) !== undefined) continue;
      expect(outline(forged)).toEqual(outline(claims[kind]));
    }
  },
);

describe("the check refuses a claim with receivers that has", () => {
  for (const [name, forge] of Object.entries(forgeries)) {
    test.each(Object.keys(claims) as Kind[])(`${name}: %s`, (kind) => {
      expect(saw(forge([...claims[kind]]))).toBeString();
    });
  }

  test.each(Object.keys(claims) as Kind[])(
    "receivers, or other shares, than were named: %s",
    (kind) => {
      const claim = claims[kind];
      const named: unknown[] = [
        undefined,
        first.toBase58(),
        [receiver(first, 70), receiver(second, 30)],
        [receiver(first, 70), receiver(third, 10), receiver(second, 20)],
        [receiver(first, 71), receiver(second, 19), receiver(third, 10)],
        [receiver(first, 69), receiver(second, 21), receiver(third, 10)],
        [receiver(stranger, 70), receiver(second, 20), receiver(third, 10)],
        [receiver(publicKey, 70), receiver(second, 20), receiver(third, 10)],
        [...receivers.slice(0, 2), receiver(third, 5), receiver(stranger, 5)],
      ];
      for (const to of named) {
        expect(refusal(build(claim), { receivers: to as ClaimReceiver[] })).not.toBeNull();
      }
    },
  );

  test("no receivers although some were named", () => {
    for (const claim of [localClaim(), closingClaim()]) {
      expect(refusal(build(claim), { receivers })?.saw).toContain("pay the receivers");
    }
  });

  test("a sponsor", () => {
    const claim = payingClaim(sponsoredClaim(), payments, PAID + SPONSORED_FEE);
    expect(saw(claim, sponsor.publicKey)).toContain("it has a sponsor");
  });
});

test("a transfer of wrapped SOL to the same account is refused without receivers", () => {
  const claim = localClaim();
  expect(refusal(build(claim.toSpliced(2, 0, prove(1n))))?.saw).toContain("own account");
  const taken = createTransferInstruction(feeVault, feeVault, publicKey, 1n);
  expect(refusal(build(claim.toSpliced(1, 0, taken)), { receivers })).not.toBeNull();
});

test.each([
  ["none", []],
  ["six", [31, 32, 33, 34, 35, 36].map((seed) => receiver(keypair(seed).publicKey, 10))],
  ["one twice", [receiver(first, 50), receiver(first, 50)]],
  ["shares of 99 %", [receiver(first, 99)]],
  ["shares of 101 %", [receiver(first, 51), receiver(second, 50)]],
  ["a share that is not whole", [receiver(first, 33.5), receiver(second, 66.5)]],
  ["a share of 0 %", [receiver(first, 100), receiver(second, 0)]],
  ["a share below 0 %", [receiver(first, 101), receiver(second, -1)]],
  ["no address", [{ address: "me", share: 100 }]],
])("the receivers of a claim cannot be %s", (_, to) => {
  expect(() => refusal(build(localClaim()), { receivers: to })).toThrow(InvalidArgumentError);
});
