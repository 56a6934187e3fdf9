import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { createLog } from "../../base/log.ts";
import { UNBOUNDED } from "../../domain/intake-limits.ts";
import {
  AlreadyLaunchedError,
  ChainUnavailableError,
  RefusedError,
  UnaffordableError,
} from "../../launchpad/errors.ts";
import type { UnsignedLaunch } from "../../launchpad/signing/paid-launch.ts";
import { newHandedOut } from "../../store/testing/rows.ts";
import { handOutLaunch, insertLaunch, insertToken, submit } from "../../testing/launches.ts";
import { ScriptedLaunchpad } from "../../testing/scripted-launchpad.ts";
import { serviceErrorFrom } from "../../testing/service-error-from.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { SigningService } from "../signing/service.ts";
import { Submitter } from "../signing/submitter.ts";
import { PaidLaunches } from "./paid-launches.ts";

const agent = nacl.sign.keyPair();
const WALLET = bs58.encode(agent.publicKey);
const MESSAGE = Uint8Array.from({ length: 200 }, (_, index) => (index + 1) % 128);
const CHANGE = { actor: "ops", action: "change", subject: null, detail: null, reason: null };

let temp: TempStore;
let chain: ScriptedLaunchpad;
let submitter: Submitter;
let signing: SigningService;
let launches: PaidLaunches;
let eventId: string;
beforeEach(async () => {
  temp = tempStore();
  chain = new ScriptedLaunchpad();
  chain.buildLaunch = async () => built();
  chain.cosign = async ({ transaction }) => ({
    transaction,
    signature: bs58.encode(nacl.sign.detached(MESSAGE, agent.secretKey)),
  });
  chain.submit = async (signed, journal) => {
    await journal.record(signed);
    throw new ChainUnavailableError("It is not known yet");
  };
  const { store } = temp;
  submitter = new Submitter({ store, chain, log: createLog("silent") });
  signing = new SigningService({ store, chain, submitter });
  launches = serviceWith();
  eventId = await insertLaunch(temp, "PAID", { wallet: WALLET, payer: "agent" });
});
afterEach(async () => {
  await submitter.stop();
  temp[Symbol.dispose]();
});

const serviceWith = (maxPerHour = Number.POSITIVE_INFINITY) =>
  new PaidLaunches({ store: temp.store, signing, maxPerHour });

function built(): UnsignedLaunch {
  const { tokenMint, poolAddress, terms } = newHandedOut("PAID");
  return {
    ...{ transaction: wire(new Uint8Array(64)), lastValidBlockHeight: 150 },
    ...{ expiresInSeconds: 60, networkFee: 2n, token: { tokenMint, poolAddress }, terms },
    metadataUri: "https://tokens.example/metadata",
    cost: { rent: 1n, networkFee: 2n, creationFee: 3n, firstBuy: 4n },
  };
}

const wire = (signature: Uint8Array) => Uint8Array.from([1, ...signature, ...MESSAGE]);
const signed = Buffer.from(wire(nacl.sign.detached(MESSAGE, agent.secretKey))).toString("base64");

const find = () => temp.store.launches.find(WALLET, eventId);
const prepare = (by = launches) => by.prepare(WALLET, eventId);
const submitSigned = (by = launches) => by.submit(WALLET, eventId, signed);
const advanceToDeadline = (early = 0) => temp.clock.advance(UNBOUNDED.signWithinMs - early);

describe("step 1", () => {
  test("hands out what it makes and costs, and changes nothing", async () => {
    const before = await find();
    expect(await prepare()).toEqual({
      ...{ success: true, transaction: Buffer.from(wire(new Uint8Array(64))).toString("base64") },
      ...{ expiresInSeconds: 60, tokenMint: "mint-PAID", poolAddress: "pool-PAID" },
      costSOL: { total: 1e-8, rent: 1e-9, networkFee: 2e-9, creationFee: 3e-9, firstBuy: 4e-9 },
      ...{ config: "config-PAID", metadataUri: "https://tokens.example/metadata" },
    });
    expect(await find()).toEqual(before);
  });

  test("gives no more time than is left until the one deadline", async () => {
    advanceToDeadline(7_000);
    expect((await prepare()).expiresInSeconds).toBe(7);
    temp.clock.advance(7_000);
    expect(await serviceErrorFrom(prepare)).toMatchObject({
      ...{ wireCode: "not_signable", advice: "The time to sign it is over." },
    });
    expect(await serviceErrorFrom(submitSigned)).toMatchObject({ wireCode: "launch_expired" });
  });

  test("builds nothing that could not be started yet", async () => {
    await submit(temp, await handOutLaunch(temp, "THEIRS", { wallet: "next" }), { maxPerHour: 1 });
    const answer = { wireCode: "launch_rate_limit", retryAfterSeconds: 3_600 };
    expect(await serviceErrorFrom(() => prepare(serviceWith(1)))).toMatchObject(answer);
    await prepare();
    expect(await serviceErrorFrom(() => submitSigned(serviceWith(1)))).toMatchObject(answer);
    expect((await find())?.status).toBe("pending");
  });

  test.each([
    ["another's", "launch_not_found", () => launches.prepare("other", eventId)],
    [
      "the operator's",
      "not_signable",
      async () => launches.prepare(WALLET, await insertLaunch(temp, "FREE", { wallet: WALLET })),
    ],
    [
      "an ended",
      "not_signable",
      async () => {
        await temp.store.launches.cancel(WALLET, eventId, "Cancelled");
        return prepare();
      },
    ],
  ])("hands out nothing of %s launch", async (_, wireCode, ask) => {
    expect(await serviceErrorFrom(ask)).toMatchObject({ wireCode });
  });
});

describe("step 2", () => {
  test("answers once the bytes are stored, and the same again, however they end", async () => {
    await prepare();
    const answer = await submitSigned();
    expect(answer).toMatchObject({ success: true, eventId });
    expect(await find()).toMatchObject({ wait: { reason: "confirmation" }, agentLamports: 10n });
    advanceToDeadline();
    expect(await submitSigned()).toEqual(answer);
    expect(await serviceErrorFrom(prepare)).toMatchObject({
      ...{ wireCode: "not_signable", advice: expect.stringContaining("is signed") },
    });
  });

  test.each([
    ["paused", () => temp.store.operator.steer({ pauses: { launches: "upgrade" } }, CHANGE)],
    [
      "wallet_blocked",
      () => temp.store.operator.setRule(WALLET, { list: "blocked", isOn: true }, CHANGE),
    ],
    [
      "not_signable",
      async () => submit(temp, await handOutLaunch(temp, "OTHER", { wallet: WALLET })),
    ],
  ])(
    "answers %s if the launch may not be started now, and leaves it as it was",
    async (code, happen) => {
      await prepare();
      await happen();
      const before = await find();
      expect(await serviceErrorFrom(submitSigned)).toMatchObject({ wireCode: code });
      expect(await find()).toEqual(before);
    },
  );

  test("ends the launch as rate_limited if its agent has launched today", async () => {
    await prepare();
    await insertToken(temp, "DONE", { wallet: WALLET });
    expect(await serviceErrorFrom(submitSigned)).toMatchObject({
      ...{ wireCode: "not_signable", advice: "Its status is rate_limited." },
    });
    expect((await find())?.status).toBe("rate_limited");
  });

  test("ends a launch that the chain refuses for good, and frees its ticker at once", async () => {
    await prepare();
    chain.check = () => Promise.reject(new RefusedError("launch", "It would fail"));
    expect(await serviceErrorFrom(submitSigned)).toMatchObject({ wireCode: "launch_build_failed" });
    expect(await find()).toMatchObject({ status: "failed", error: "It would fail" });
    await insertLaunch(temp, "PAID", { wallet: "newCreator" });
  });

  test.each([
    ["launch_unaffordable", new UnaffordableError("launch", WALLET, { required: 2n, balance: 1n })],
    ["chain_unavailable", new ChainUnavailableError("Different answers")],
  ])(
    "answers %s, after which the same bytes may be sent again until the deadline",
    async (code, error) => {
      await prepare();
      const before = await find();
      chain.check = () => Promise.reject(error);
      expect(await serviceErrorFrom(submitSigned)).toMatchObject({ wireCode: code });
      expect(await find()).toEqual(before);
      chain.check = async () => {};
      expect(await submitSigned()).toMatchObject({ success: true });
    },
  );
});

test.each(["prepare", "submit"] as const)(
  "a launch whose token is on chain already succeeds in step %s, and nothing is signed",
  async (step) => {
    await prepare();
    const { token } = built();
    const fault = () => Promise.reject(new AlreadyLaunchedError(token));
    if (step === "prepare") chain.buildLaunch = fault;
    else chain.check = fault;
    const ask = step === "prepare" ? prepare : submitSigned;
    expect(await serviceErrorFrom(() => ask())).toMatchObject({
      ...{ wireCode: "not_signable", advice: "Its token is on chain already." },
    });
    expect(await find()).toMatchObject({ status: "success", ...token });
  },
);
