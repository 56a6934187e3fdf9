import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { createLog } from "../../base/log.ts";
import { TimedShares } from "../../domain/shares.ts";
import type { LandedClaim, Signed } from "../../domain/signing.ts";
import { ChainUnavailableError, RefusedError } from "../../launchpad/errors.ts";
import type { PreparedRow } from "../../store/prepared.ts";
import { WHOLE_LIST } from "../../store/testing/rows.ts";
import { insertToken } from "../../testing/launches.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { serviceErrorFrom } from "../../testing/service-error-from.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { ANSWER_DEADLINE_MS, messageHash, SigningService } from "../signing/service.ts";
import { Submitter } from "../signing/submitter.ts";
import { HandOverService } from "./hand-overs.ts";
import { listClaims } from "./list.ts";
import { ClaimService, ownTokens } from "./service.ts";

const agent = nacl.sign.keyPair();
const stranger = nacl.sign.keyPair();
const WALLET = bs58.encode(agent.publicKey);
const OWN = { wallet: WALLET, address: null };
const MINT = "mint-ONE";
const MESSAGE = Uint8Array.from({ length: 200 }, (_, index) => index + 1);

let temp: TempStore;
let chain: ScriptedLaunchpad;
let submitter: Submitter;
let signing: SigningService;
let service: ClaimService;
let sent: Signed[];
beforeEach(async () => {
  temp = tempStore();
  await insertToken(temp, "ONE", { wallet: WALLET });
  sent = [];
  chain = new ScriptedLaunchpad();
  chain.buildClaim = async () => ({
    transaction: wire(new Uint8Array(64)),
    tokens: [{ tokenMint: MINT, poolAddress: "pool-ONE" }],
    repaidLamports: null,
    receivers: [],
    lastValidBlockHeight: 150,
    expiresInSeconds: 60,
  });
  chain.submit = async (claim, journal) => {
    await journal.record(claim);
    sent.push(claim);
    return { signature: claim.signature, paidLamports: 1_234_567n, payouts: payoutsOf(1_234_567n) };
  };
  const { store } = temp;
  const log = createLog("silent");
  submitter = new Submitter({ store, chain, log });
  signing = new SigningService({ store, chain, submitter });
  service = new ClaimService({ store, chain, signing, sponsored: null });
});
afterEach(async () => {
  await submitter.stop();
  temp[Symbol.dispose]();
});

const payoutsOf = (bondingCurve: bigint) => [{ tokenMint: MINT, bondingCurve, liquidityPool: 0n }];

function wire(signature: Uint8Array): Uint8Array {
  return Uint8Array.from([1, ...signature, ...MESSAGE]);
}

function signed(): string {
  return Buffer.from(wire(nacl.sign.detached(MESSAGE, agent.secretKey))).toString("base64");
}

test("an error of the chain is answered with its own wait", async () => {
  const error = new ChainUnavailableError("Slow down", null, { retryAfterSeconds: 7 });
  chain.buildClaim = () => Promise.reject(error);
  const answer = await serviceErrorFrom(() => service.prepare(OWN, [MINT]));
  expect(answer).toMatchObject({ wireCode: "chain_unavailable", retryAfterSeconds: 7 });
});

describe("submit", () => {
  test("it sends the signed transaction, returns what that paid, and leaves no timer", async () => {
    await service.prepare(OWN, [MINT]);
    const foreign = () => service.submit(OWN, ["another"], { signedTransaction: signed() });
    expect((await serviceErrorFrom(foreign)).wireCode).toBe("claim_mismatch");
    const signature = bs58.encode(nacl.sign.detached(MESSAGE, agent.secretKey));
    expect(await service.submit(OWN, [MINT], { signedTransaction: signed() })).toEqual({
      success: true,
      transactionHash: signature,
      claimedSOL: 0.001234567,
      tokenMints: [MINT],
    });
    expect(temp.clock.waits).toEqual([]);
    expect(sent).toMatchObject([
      { agent: WALLET, tokens: [{ tokenMint: MINT }], signature, lastValidBlockHeight: 150 },
    ]);
    expect(await temp.store.tokens.findAny(MINT)).toMatchObject({
      claimedAt: temp.clock.now(),
      claimedTo: WALLET,
    });
  });

  test.each(["claim", "hand_over"] as const)(
    "the caller of a %s gets an answer at the deadline, and it goes on",
    async (kind) => {
      const landed = Promise.withResolvers<LandedClaim>();
      chain.submit = async (asked, journal) => {
        await journal.record(asked);
        return landed.promise;
      };
      const times = { lastValidBlockHeight: 150, expiresInSeconds: 60 };
      const transaction = wire(new Uint8Array(64));
      chain.buildHandOver = async () => ({
        ...{ transaction, ...times, networkFee: 5_000n, rent: 0n },
      });
      const handOvers = new HandOverService({ store: temp.store, chain, signing });
      if (kind === "claim") await service.prepare(OWN, [MINT]);
      else await handOvers.prepare(WALLET, MINT, { to: bs58.encode(stranger.publicKey) });
      const submit = () =>
        kind === "claim"
          ? service.submit(OWN, [MINT], { signedTransaction: signed() })
          : handOvers.submit(WALLET, MINT, { signedTransaction: signed() });
      const submitted = serviceErrorFrom(submit);
      await turns();
      temp.clock.advance(ANSWER_DEADLINE_MS - 1);
      await turns();
      expect(Bun.peek.status(submitted)).toBe("pending");
      temp.clock.advance(1);
      expect(await submitted).toMatchObject({ wireCode: `${kind}_unsettled` });
      const again = submit();
      landed.resolve({ signature: "signature", paidLamports: 7n, payouts: payoutsOf(7n) });
      expect(await again).toMatchObject({ transactionHash: "signature" });
    },
  );
});

describe("a sponsored claim", () => {
  let message: Uint8Array;
  let isOffered: boolean | undefined;
  beforeEach(() => {
    const build = chain.buildClaim;
    chain.buildClaim = async (wallet, tokens, options) => {
      isOffered = await options?.maySponsor?.();
      message = Uint8Array.from([2, ...MESSAGE.slice(1, -32), ...bs58.decode(wallet)]);
      const claim = await build(wallet, tokens);
      const transaction = Uint8Array.from([2, ...new Uint8Array(128), ...message]);
      return claim && { ...claim, transaction, repaidLamports: 1n };
    };
    const shares = { agent: 2, address: 2, network: 9, total: 9 };
    const sponsored = new TimedShares(shares, () => temp.clock.elapsed());
    service = new ClaimService({ store: temp.store, chain, signing, sponsored });
  });

  function submit(address: string | null, { secretKey, publicKey } = agent) {
    const signature = nacl.sign.detached(message, secretKey);
    const both = Buffer.from([2, ...new Uint8Array(64), ...signature, ...message]);
    const client = { wallet: bs58.encode(publicKey), address };
    return serviceErrorFrom(() =>
      service.submit(client, [MINT], { signedTransaction: both.toString("base64") }),
    );
  }

  test("while the chain does not say whether earlier ones can still land, is 503", async () => {
    chain.finalOutcome = () => Promise.reject(new ChainUnavailableError("No answer"));
    await service.prepare(OWN, [MINT]);
    const prepared = await temp.store.prepared.find(WALLET, messageHash(message));
    const open = { ...(prepared as PreparedRow), signature: "earlier", expiresAt: 0 };
    spyOn(temp.store.prepared, "sponsoredAtRisk").mockResolvedValue([open, open, open]);
    expect(await submit(null)).toMatchObject({ wireCode: "chain_unavailable" });
  });

  test("takes a place of its address for a day, whatever wallet asks, and is not offered without one", async () => {
    chain.cosign = async () => ({ signature: crypto.randomUUID(), transaction: Uint8Array.of(9) });
    chain.submit = async (claim, journal) => {
      await journal.record(claim);
      throw new RefusedError("claim", "It failed on chain");
    };
    const claim = async (address: string) => {
      const wallet = nacl.sign.keyPair();
      const client = { wallet: bs58.encode(wallet.publicKey), address };
      temp.clock.advance(60_000);
      chain.readPools = async () => [poolOf(client.wallet)];
      await service.prepare(client, [MINT]);
      return [(await submit(address, wallet)).wireCode, isOffered] as const;
    };
    const accepted = ["claim_refused", true] as const;
    expect([await claim("192.0.2.1"), await claim("192.0.2.1")]).toEqual([accepted, accepted]);
    expect(await claim("192.0.2.1")).toEqual(["claim_expired", false]);
    expect(await claim("192.0.2.2")).toEqual(accepted);
    temp.clock.advance(86_400_000);
    expect(await claim("192.0.2.1")).toEqual(accepted);
  });
});

const poolOf = (creator: string) => {
  return { creator, isMigrated: false, claimable: 0n, market: null };
};

test("another agent's token does not exist in either step or in the list", async () => {
  await service.prepare(OWN, [MINT]);
  const other = bs58.encode(stranger.publicKey);
  chain.readPools = async () => [poolOf(WALLET)];
  for (const step of [
    () => service.prepare({ wallet: other, address: null }, [MINT]),
    () => ownTokens({ store: temp.store, chain }, other, [MINT]),
    () => service.prepare(OWN, ["unknown"]),
  ]) {
    expect(await serviceErrorFrom(step)).toMatchObject({
      wireCode: "token_not_found",
      message: "Token not found",
    });
  }
  chain.readFees = async (_agent, tokens) => tokens.map(() => expect.unreachable());
  expect(await listClaims({ store: temp.store, chain }, other, WHOLE_LIST)).toEqual({ claims: [] });
});

test("the chain is asked once whether a wallet has several tokens, and not at all if one is unknown", async () => {
  await insertToken(temp, "TWO", { wallet: "another" });
  const had = spyOn(temp.store.handOvers, "hadTokens");
  const asked: number[] = [];
  chain.readPools = async (tokens) => {
    asked.push(tokens.length);
    return tokens.map(() => poolOf(WALLET));
  };
  const other = { wallet: bs58.encode(stranger.publicKey), address: null };
  for (const mints of [
    [MINT, "mint-TWO"],
    [MINT, "unknown"],
  ]) {
    expect(await serviceErrorFrom(() => service.prepare(other, mints))).toMatchObject({
      wireCode: "token_not_found",
    });
  }
  expect(asked).toEqual([2]);
  // All claims of the wallet are read, so not once for each token.
  expect(had).toHaveBeenCalledTimes(2);
});

test("a node that is behind does not take a token back from the wallet that has just got it", async () => {
  const { handOvers, tokens } = temp.store;
  const [former, newCreator] = [bs58.encode(stranger.publicKey), "newCreator"];
  await handOvers.found({ tokenMint: MINT, known: WALLET, actual: former });
  await handOvers.found({ tokenMint: MINT, known: former, actual: newCreator });
  await handOvers.accept(newCreator, MINT);
  chain.readPools = async () => [poolOf(former)];
  temp.clock.advance(29_999);
  expect(
    await serviceErrorFrom(() => ownTokens({ store: temp.store, chain }, former, [MINT])),
  ).toMatchObject({
    wireCode: "token_not_found",
  });
  expect((await tokens.page(newCreator, WHOLE_LIST, "all")).rows).toHaveLength(1);
  temp.clock.advance(1);
  await ownTokens({ store: temp.store, chain }, former, [MINT]);
  expect((await tokens.page(newCreator, WHOLE_LIST, "all")).rows).toEqual([]);
});
