import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { createLog } from "../../base/log.ts";
import type { LandedClaim, Signed } from "../../domain/signing.ts";
import { BuildError, ChainUnavailableError } from "../../launchpad/errors.ts";
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
  service = new ClaimService({ store, chain, signing, sponsorsClaims: false });
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

describe("prepare", () => {
  test.each([
    ["No such pool", "claim_build_failed", new BuildError("claim", "No such pool"), undefined],
    [
      "Slow down",
      "chain_unavailable",
      new ChainUnavailableError("Slow down", null, { retryAfterSeconds: 7 }),
      7,
    ],
  ])(
    "the chain's error %j is answered as %s",
    async (message, wireCode, error, retryAfterSeconds) => {
      chain.buildClaim = () => Promise.reject(error);
      expect(await serviceErrorFrom(() => service.prepare(WALLET, [MINT]))).toMatchObject({
        wireCode,
        message,
        retryAfterSeconds,
      });
    },
  );
});

describe("submit", () => {
  test("it sends the signed transaction and returns what that paid", async () => {
    await service.prepare(WALLET, [MINT]);
    const foreign = () => service.submit(WALLET, ["another"], signed());
    expect((await serviceErrorFrom(foreign)).wireCode).toBe("claim_mismatch");
    const signature = bs58.encode(nacl.sign.detached(MESSAGE, agent.secretKey));
    expect(await service.submit(WALLET, [MINT], signed())).toEqual({
      success: true,
      transactionHash: signature,
      claimedSOL: 0.001234567,
      tokenMints: [MINT],
    });
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
      if (kind === "claim") await service.prepare(WALLET, [MINT]);
      else await handOvers.prepare(WALLET, MINT, { to: bs58.encode(stranger.publicKey) });
      const submit = () =>
        kind === "claim"
          ? service.submit(WALLET, [MINT], signed())
          : handOvers.submit(WALLET, MINT, signed());
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

test("while the chain does not say whether an agent's sponsored claims can still land, another is 503", async () => {
  const message = Uint8Array.from([2, ...MESSAGE.slice(1)]);
  const build = chain.buildClaim;
  chain.buildClaim = async (...args) => {
    const claim = await build(...args);
    const transaction = Uint8Array.from([2, ...new Uint8Array(128), ...message]);
    return claim && { ...claim, transaction, repaidLamports: 1n };
  };
  chain.finalOutcome = () => Promise.reject(new ChainUnavailableError("No answer"));
  const { store } = temp;
  service = new ClaimService({ store, chain, signing, sponsorsClaims: true });
  await service.prepare(WALLET, [MINT]);
  const prepared = await store.prepared.find(WALLET, messageHash(message));
  if (!prepared) throw new Error("no claim");
  const open = { ...prepared, signature: "earlier", expiresAt: 0 };
  spyOn(store.prepared, "sponsoredAtRisk").mockResolvedValue([open, open, open]);
  const signature = nacl.sign.detached(message, agent.secretKey);
  const both = Buffer.from([2, ...new Uint8Array(64), ...signature, ...message]);
  const submit = () => service.submit(WALLET, [MINT], both.toString("base64"));
  expect(await serviceErrorFrom(submit)).toMatchObject({ wireCode: "chain_unavailable" });
});

test("an answered claim leaves no timer", async () => {
  await service.prepare(WALLET, [MINT]);
  await service.submit(WALLET, [MINT], signed());
  expect(temp.clock.waits).toEqual([]);
});

const poolOf = (creator: string) => {
  return { creator, isMigrated: false, claimable: 0n, market: null };
};

test("another agent's token does not exist in either step or in the list", async () => {
  await service.prepare(WALLET, [MINT]);
  const other = bs58.encode(stranger.publicKey);
  chain.readPools = async () => [poolOf(WALLET)];
  for (const step of [
    () => service.prepare(other, [MINT]),
    () => ownTokens({ store: temp.store, chain }, other, [MINT]),
    () => service.prepare(WALLET, ["unknown"]),
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
  const other = bs58.encode(stranger.publicKey);
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
