import { expect, test } from "bun:test";
import { ComputeBudgetProgram, Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import {
  agent,
  build,
  fromBase64,
  localClaim,
  PAID,
  payingClaim,
} from "../test/claim-transactions.ts";
import {
  claimPath,
  mintAddress,
  ok,
  prepared,
  receipt,
  refusal,
  useScriptedServer,
} from "../test/client-fixtures.ts";
import type { ClaimCost } from "./claim-check/terms.ts";
import { AbortError } from "./errors.ts";
import { keypairSigner } from "./signer.ts";

const scripted = useScriptedServer();

const expiring = { ...prepared, expiresInSeconds: 0 };
const steps1 = () => scripted.server.to(claimPath).filter(({ body }) => body === undefined).length;

/** A client that notes until when its wallet may sign. */
function watched() {
  const deadlines: (Date | undefined)[] = [];
  const inner = keypairSigner(agent);
  const client = scripted.client({
    signer: {
      ...inner,
      publicKey: inner.publicKey,
      signMessage: (message) => inner.signMessage(message),
      signTransaction(transaction, options) {
        deadlines.push(options?.expiresAt);
        return inner.signTransaction(transaction);
      },
    },
  });
  return { client, deadlines };
}

test("approve and the signer get the time until which a claim can be signed", async () => {
  const { client, deadlines } = watched();
  scripted.server.script(claimPath, ok(prepared), ok(receipt));
  const told: (Date | undefined)[] = [];
  const before = Date.now();
  await client.claim(mintAddress, { approve: (_, expiresAt) => void told.push(expiresAt) });
  for (const [deadline] of [told, deadlines]) {
    expect(Number(deadline)).toBeGreaterThan(before + 30_000);
    expect(Number(deadline)).toBeLessThanOrEqual(Date.now() + 60_000);
  }
});

test("a claim that is about to expire is renewed before the wallet is asked, and approved once", async () => {
  const { client, deadlines } = watched();
  scripted.server.script(claimPath, ok(expiring), ok(prepared), ok(receipt));
  let approvals = 0;
  await client.claim(mintAddress, { approve: () => void approvals++ });
  expect(steps1()).toBe(2);
  expect(approvals).toBe(1);
  expect(deadlines).toHaveLength(1);
  expect(Number(deadlines[0])).toBeGreaterThan(Date.now() + 20_000);
});

test("a renewed claim that costs more is approved again", async () => {
  const { client } = watched();
  const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000n });
  const dearer = Buffer.from(build([price, ...localClaim()])).toString("base64");
  const renewed = { ...prepared, transaction: dearer };
  scripted.server.script(claimPath, ok(expiring), ok(renewed), ok(renewed));
  const fees: bigint[] = [];
  const approve = ({ networkFeeLamports }: ClaimCost) => {
    fees.push(networkFeeLamports);
    if (fees.length === 2) throw new Error("too much");
  };
  await expect(client.claim(mintAddress, { approve })).rejects.toThrow("too much");
  expect(fees[1]).toBeGreaterThan(fees[0] ?? 0n);
});

test.each([
  ["more", PAID + 1n, 1],
  ["less", PAID - 1n, 2],
])("a renewed claim that pays its receiver %s than the first needs %p", async (_, paid, times) => {
  const { client } = watched();
  const vault = Keypair.generate().publicKey;
  const paying = (lamports: bigint) => {
    const claim = payingClaim(localClaim(), [{ to: vault, lamports }], lamports);
    return { ...prepared, transaction: Buffer.from(build(claim)).toString("base64") };
  };
  const [first, renewed] = [paying(PAID), paying(paid)];
  const signed = keypairSigner(agent).signTransaction(fromBase64(renewed.transaction));
  const transactionHash = bs58.encode((await signed).subarray(1, 65));
  const paidReceipt = { ...receipt, transactionHash };
  scripted.server.script(
    claimPath,
    ok({ ...first, expiresInSeconds: 0 }),
    ok(renewed),
    ok(paidReceipt),
  );
  const approved: (bigint | undefined)[] = [];
  await client.claim(mintAddress, {
    to: vault.toBase58(),
    approve: ({ receivers }) => void approved.push(receivers?.[0]?.lamports),
  });
  expect(approved).toEqual([PAID, paid].slice(0, times));
});

test("a claim is renewed while a person reads, who hears of it", async () => {
  const { client, deadlines } = watched();
  scripted.server.script(claimPath, ok(expiring), ok(prepared), ok(receipt));
  const renewal = Promise.withResolvers<Date>();
  let approvals = 0;
  await client.claim(mintAddress, {
    async approve() {
      approvals += 1;
      await renewal.promise;
    },
    onRenew: renewal.resolve,
  });
  expect(approvals).toBe(1);
  expect(steps1()).toBe(2);
  expect(Math.abs(Number(deadlines[0]) - Number(await renewal.promise))).toBeLessThan(1_000);
});

test("a claim that was aborted while a person read is not signed", async () => {
  const { client, deadlines } = watched();
  scripted.server.script(claimPath, ok(prepared));
  const aborting = new AbortController();
  const claim = client.claim(mintAddress, {
    signal: aborting.signal,
    approve: async () => aborting.abort(),
  });
  await expect(claim).rejects.toThrow(AbortError);
  expect(deadlines).toEqual([]);
});

test("a signed claim is not renewed: the server alone says that it expired", async () => {
  const { client, deadlines } = watched();
  const expired = refusal("claim_expired");
  scripted.server.script(claimPath, ok(prepared), expired, ok(prepared), ok(receipt));
  let approvals = 0;
  await client.claim(mintAddress, { approve: () => void approvals++ });
  // A second signature could cost a second fee.
  expect([approvals, deadlines.length]).toEqual([2, 2]);
});
