import { heapStats } from "bun:jsc";
import { beforeEach, describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { limits, NONCE_LIFETIME_MS } from "@tokenctl/shared/limits";
import { nonceHost, signInMessage } from "@tokenctl/shared/sign-in";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { BearerTokens } from "../http/bearer-tokens.ts";
import { NoncesInMemory } from "../store/used-nonces.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { AuthService, Nonces } from "./auth.ts";

const HOST = "tokens.example:8787";
const [AGENT, ANOTHER] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

function setUp(host: string | (() => string) = HOST) {
  const clock = new ManualClock();
  const used = new NoncesInMemory();
  const hostNow = typeof host === "string" ? () => host : host;
  return { clock, used, nonces: new Nonces({ clock, host: hostNow, used, sharedSecret: null }) };
}

test("a nonce works once, for its wallet", async () => {
  const { nonces } = setUp();
  const nonce = nonces.issue(AGENT);
  expect(nonces.issue(AGENT)).not.toBe(nonce);
  expect(await nonces.take(nonce, AGENT)).toBe(true);
  expect(await nonces.take(nonce, AGENT)).toBe(false);
});

test("whatever bytes a nonce has, it is remembered by a plain text, which every database stores", async () => {
  const ids: string[] = [];
  const used = { use: async (id: string) => ids.push(id) > 0 };
  const clock = new ManualClock();
  const nonces = new Nonces({ clock, host: () => HOST, used, sharedSecret: null });
  for (let n = 0; n < 300; n++) await nonces.take(nonces.issue(AGENT), AGENT);
  expect(ids.filter((id) => /^[\w-]{22}$/.test(id))).toHaveLength(300);
  expect(new Set(ids).size).toBe(300);
});

test("a nonce names the server's host, and the longest host gives the longest allowed nonce", async () => {
  expect(nonceHost(setUp().nonces.issue(AGENT))).toBe(HOST);
  expect(setUp("[::1]:80").nonces.issue(AGENT)).toMatch(/^\[::1\]:80\/[A-Za-z0-9_-]{72}$/);
  const { nonces } = setUp("h".repeat(limits.nonce.host));
  const nonce = nonces.issue(AGENT);
  expect(nonce).toHaveLength(limits.nonce.max);
  expect(await nonces.take(nonce, AGENT)).toBe(true);
});

test("a nonce that another wallet sends is refused and used up", async () => {
  const { nonces } = setUp();
  const [nonce, untouched] = [nonces.issue(AGENT), nonces.issue(AGENT)];
  expect(await nonces.take(nonce, ANOTHER)).toBe(false);
  expect(await nonces.take(nonce, AGENT)).toBe(false);
  expect(await nonces.take(untouched, AGENT)).toBe(true);
});

describe("forgeries", () => {
  test("a nonce that was never issued is refused, and nothing of it is stored", async () => {
    const { nonces, used } = setUp();
    const random = Buffer.alloc(54, 7).toString("base64url");
    for (const nonce of ["", "nonce", "__proto__", `${HOST}/`, random, `${HOST}/${random}`]) {
      expect(await nonces.take(nonce, AGENT)).toBe(false);
    }
    expect(used.size).toBe(0);
  });

  test("a nonce of another process is refused, so a restart ends all nonces", async () => {
    const { nonces } = setUp();
    expect(await nonces.take(setUp().nonces.issue(AGENT), AGENT)).toBe(false);
  });

  test("a nonce is refused under another host", async () => {
    let host = HOST;
    const { nonces } = setUp(() => host);
    const [first, second] = [nonces.issue(AGENT), nonces.issue(AGENT)];
    host = "other.example:8787";
    expect(await nonces.take(first, AGENT)).toBe(false);
    expect(await nonces.take(first.replace(HOST, host), AGENT)).toBe(false);
    host = HOST;
    expect(await nonces.take(second.replace(HOST, HOST.toUpperCase()), AGENT)).toBe(false);
    expect(await nonces.take(second, AGENT)).toBe(true);
  });

  test("a nonce with one changed character is refused", async () => {
    const { nonces } = setUp();
    const nonce = nonces.issue(AGENT);
    for (let place = 0; place < nonce.length; place++) {
      const other = nonce[place] === "A" ? "B" : "A";
      const changed = nonce.slice(0, place) + other + nonce.slice(place + 1);
      expect(await nonces.take(changed, AGENT)).toBe(false);
    }
    expect(await nonces.take(nonce, AGENT)).toBe(true);
  });

  test("a nonce has exactly one accepted encoding", async () => {
    const { nonces } = setUp();
    for (let attempt = 0; attempt < 50; attempt++) {
      const nonce = nonces.issue(AGENT);
      const [host, payload = ""] = nonce.split("/");
      const encodings = [
        `${nonce}=`,
        `${nonce} `,
        ` ${nonce}`,
        `${host}//${payload}`,
        `${host}/${Buffer.from(payload, "base64url").toString("base64")}`,
        `${host}/${payload.slice(0, 36)}\n${payload.slice(36)}`,
        `${host}/${payload.slice(0, 36)}\n${payload.slice(36, -1)}`,
      ].filter((encoding) => encoding !== nonce);
      for (const encoding of encodings) {
        expect([encoding, await nonces.take(encoding, AGENT)]).toEqual([encoding, false]);
      }
      expect(await nonces.take(nonce, AGENT)).toBe(true);
    }
  });
});

describe("time", () => {
  test("a nonce is valid to the last millisecond of five minutes, and not after", async () => {
    const { clock, nonces } = setUp();
    const [early, late] = [nonces.issue(AGENT), nonces.issue(AGENT)];
    clock.advance(NONCE_LIFETIME_MS - 1);
    expect(await nonces.take(early, AGENT)).toBe(true);
    clock.advance(1);
    expect(await nonces.take(late, AGENT)).toBe(false);
    expect(await nonces.take(early, AGENT)).toBe(false);
  });

  test("a clock that steps back neither ends a nonce nor extends it", async () => {
    const { clock, nonces } = setUp();
    const [early, late] = [nonces.issue(AGENT), nonces.issue(AGENT)];
    clock.advance(-86_400_000);
    nonces.issue(ANOTHER);
    clock.advance(NONCE_LIFETIME_MS - 1);
    expect(await nonces.take(early, AGENT)).toBe(true);
    clock.advance(1);
    expect(await nonces.take(late, AGENT)).toBe(false);
  });
});

describe("servers that share a secret", () => {
  const SECRET = new Uint8Array(32).fill(3);

  function cluster(secrets = [SECRET, SECRET]) {
    const clock = new ManualClock();
    const used = new NoncesInMemory();
    const [one, two] = secrets.map(
      (sharedSecret) => new Nonces({ clock, host: () => HOST, used, sharedSecret }),
    );
    if (!one || !two) throw new Error("there are two");
    return { clock, one, two };
  }

  test("take each other's nonces, each once in all", async () => {
    const { one, two } = cluster();
    const [first, second] = [one.issue(AGENT), one.issue(AGENT)];
    expect(await two.take(first, AGENT)).toBe(true);
    expect(await one.take(first, AGENT)).toBe(false);
    expect(await two.take(second, ANOTHER)).toBe(false);
    expect(await one.take(second, AGENT)).toBe(false);
    const takes = Array.from({ length: 50 }, () => [one, two]).flat();
    const nonce = two.issue(AGENT);
    const taken = await Promise.all(takes.map((nonces) => nonces.take(nonce, AGENT)));
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
  });

  test("refuse those of a server with another secret", async () => {
    const { one, two } = cluster([SECRET, SECRET.with(0, 4)]);
    expect(await two.take(one.issue(AGENT), AGENT)).toBe(false);
  });

  test("do not sign nonces with the secret itself", async () => {
    const { one } = cluster();
    const payload = Buffer.from(one.issue(AGENT).slice(HOST.length + 1), "base64url");
    const body = payload.subarray(0, 38);
    const tag = createHmac("sha256", SECRET)
      .update(`tokend sign-in nonce\0${HOST}\0`)
      .update(body)
      .digest();
    expect(payload.subarray(38)).not.toEqual(tag.subarray(0, 16));
  });
});

describe("memory", () => {
  test("100,000 challenges leave nothing in memory", () => {
    const { nonces, used } = setUp();
    const issue = (count: number) => {
      for (let n = 0; n < count; n++) nonces.issue(AGENT);
      Bun.gc(true);
      return heapStats().heapSize;
    };
    const before = issue(1_000);
    const grown = issue(100_000) - before;
    expect(used.size).toBe(0);
    // A stored nonce took 257 bytes.
    expect(grown / 100_000).toBeLessThan(10);
  });

  test("used nonces are remembered until they expire", async () => {
    const { clock, nonces, used } = setUp();
    const sessions = async (count: number) => {
      for (let n = 0; n < count; n++) await nonces.take(nonces.issue(AGENT), AGENT);
    };
    const waiting = nonces.issue(AGENT);
    await sessions(1_000);
    clock.advance(NONCE_LIFETIME_MS - 1);
    await nonces.take(waiting, AGENT);
    expect(used.size).toBe(1_001);
    clock.advance(1);
    await sessions(1);
    expect(used.size).toBe(1);
  });
});

const agent = nacl.sign.keyPair();
const WALLET = bs58.encode(agent.publicKey);

let bearerTokens: BearerTokens;
let auth: AuthService;
beforeEach(() => {
  const { nonces, clock } = setUp();
  bearerTokens = new BearerTokens(clock, new Uint8Array(32).fill(1));
  auth = new AuthService(nonces, bearerTokens);
});

function sign(text: string, { secretKey } = agent): string {
  return bs58.encode(nacl.sign.detached(new TextEncoder().encode(text), secretKey));
}

const signatureError = { wireCode: "invalid_signature", message: "Invalid signature" };

test("a signed nonce gets a token for its wallet", async () => {
  const { nonce } = auth.challenge(WALLET);
  const { token } = await auth.verify(WALLET, nonce, sign(signInMessage(nonce)));
  expect(await bearerTokens.verify(token)).toMatchObject({ wallet: WALLET });
});

test("a failed verify uses up its nonce", async () => {
  const { nonce } = auth.challenge(WALLET);
  await expect(auth.verify(WALLET, nonce, sign("other"))).rejects.toMatchObject(signatureError);
  const again = auth.verify(WALLET, nonce, sign(signInMessage(nonce)));
  await expect(again).rejects.toMatchObject({
    wireCode: "invalid_nonce",
    message: "Invalid or expired nonce",
  });
});

describe("signatures", () => {
  test.each<[string, (nonce: string) => string]>([
    ["the nonce without the message's text", (nonce) => sign(nonce)],
    ["the message with a line break", (nonce) => sign(`${signInMessage(nonce)}\n`)],
    ["another wallet's signature", (nonce) => sign(signInMessage(nonce), nacl.sign.keyPair())],
    ["a signature of 63 bytes", () => bs58.encode(new Uint8Array(63).fill(1))],
    ["a text that is not base58", () => "0OIl"],
    ["a signature in base64", () => Buffer.alloc(64, 1).toString("base64")],
  ])("%s is refused", async (_, forge) => {
    const { nonce } = auth.challenge(WALLET);
    await expect(auth.verify(WALLET, nonce, forge(nonce))).rejects.toMatchObject(signatureError);
  });

  test("a wallet that anyone can sign for is refused", async () => {
    const wallet = "1".repeat(32);
    const forged = bs58.encode(Uint8Array.of(1, ...new Uint8Array(63)));
    for (let attempt = 0; attempt < 50; attempt++) {
      const { nonce } = auth.challenge(wallet);
      await expect(auth.verify(wallet, nonce, forged)).rejects.toMatchObject(signatureError);
    }
  });
});

test.each(["", "x", "0".repeat(32), "1".repeat(31), "1".repeat(45), `${WALLET} `])(
  "the wallet %j is refused",
  async (wallet) => {
    const details = [{ field: "wallet", message: "must be a base58 wallet address" }];
    expect(() => auth.challenge(wallet)).toThrow(
      expect.objectContaining({ wireCode: "validation_failed", details }),
    );
    await expect(auth.verify(wallet, "nonce", "signature")).rejects.toMatchObject({ details });
  },
);
