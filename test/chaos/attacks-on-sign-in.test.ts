import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ChallengeSchema } from "@tokenctl/shared/contract/auth";
import { signInMessage } from "@tokenctl/shared/sign-in";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { Agent, expectShape, send } from "../support/agent.ts";
import { AttackScene, JWT_SECRET } from "./attack-scene.ts";
import { forgedSignatures, raised, SMALL_ORDER_KEYS } from "./forged-keys.ts";
import { forgedTokens } from "./forged-tokens.ts";

let scene: AttackScene;
beforeAll(async () => {
  scene = await AttackScene.open();
});
afterAll(async () => {
  await scene.printFigures("sign-in");
  await scene[Symbol.asyncDispose]();
});

describe("sign-in", () => {
  /** Asks for a challenge of a wallet and answers it. */
  async function verify(wallet: string, sign: (message: Uint8Array) => Uint8Array) {
    const challenge = await scene.attacker.post("/api/auth/challenge", { wallet });
    const { nonce } = expectShape(ChallengeSchema, challenge.body);
    const signature = bs58.encode(sign(new TextEncoder().encode(signInMessage(nonce))));
    return scene.attacker.post("/api/auth/verify", { wallet, nonce, signature });
  }

  test("refuses a signature with any byte changed", async () => {
    for (let at = 0; at < 64; at++) {
      const answer = await verify(scene.victim.wallet, (message) => {
        const signature = nacl.sign.detached(message, scene.victim.keypair.secretKey);
        return signature.with(at, (signature[at] ?? 0) ^ 0x10);
      });
      scene.expectRefused(answer, 401, "Invalid signature");
    }
  });

  test("refuses a signature with S + L in place of S", async () => {
    const sign = (message: Uint8Array) =>
      nacl.sign.detached(message, scene.victim.keypair.secretKey);
    expect((await verify(scene.victim.wallet, sign)).status).toBe(200);
    const answer = await verify(scene.victim.wallet, (message) => raised(sign(message)));
    scene.expectRefused(answer, 401, "Invalid signature");
  });

  test("refuses a signature of another key, or of another message", async () => {
    const foreign = await verify(scene.victim.wallet, (message) =>
      nacl.sign.detached(message, scene.attacker.keypair.secretKey),
    );
    scene.expectRefused(foreign, 401, "Invalid signature");
    const other = await verify(scene.victim.wallet, () =>
      nacl.sign.detached(new TextEncoder().encode("hello"), scene.victim.keypair.secretKey),
    );
    scene.expectRefused(other, 401, "Invalid signature");
  });

  test("refuses forged signatures of wallets of small order, even those that tweetnacl accepts", async () => {
    let accepted = 0;
    for (const key of SMALL_ORDER_KEYS) {
      const publicKey = Uint8Array.from(Buffer.from(key, "hex"));
      for (const forged of forgedSignatures()) {
        const answer = await verify(bs58.encode(publicKey), (message) => {
          if (nacl.sign.detached.verify(message, forged, publicKey)) accepted += 1;
          return forged;
        });
        scene.expectRefused(answer, 401, "Invalid signature");
      }
    }
    // The forgeries are good ones: tweetnacl accepts about one in eight.
    expect(accepted).toBeGreaterThanOrEqual(SMALL_ORDER_KEYS.length / 2);
  });
});

describe("every route for agents", () => {
  const routes = () =>
    [
      ["POST", "/api/v1/tokens/launch"],
      ["GET", `/api/v1/tokens/launch/status/${scene.eventIds.success}`],
      ["POST", `/api/v1/tokens/launch/${scene.eventIds.limited}/retry`],
      ["GET", "/api/v1/tokens/"],
      ["GET", `/api/v1/tokens/${scene.mints[0]}`],
      ["GET", "/api/v1/tokens/claims"],
      ["POST", `/api/v1/tokens/claims/${scene.mints[0]}`],
      ["POST", "/dev/airdrop"],
      ["POST", "/dev/trade"],
      ["POST", "/dev/graduate"],
    ] as const;

  test("refuses forged bearer tokens without fetching a key", async () => {
    let fetched = 0;
    await using keyServer = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => {
        fetched += 1;
        return Response.json({ keys: [] });
      },
    });
    const { origin } = keyServer.url;
    const tokens = forgedTokens(JWT_SECRET, scene.victim.wallet, scene.server.clock.now(), origin);
    for (const [what, token] of Object.entries(tokens)) {
      for (const [method, path] of routes()) {
        const answer = await send(scene.server.url, method, path, { token });
        expect([what, answer.status]).toEqual([what, 401]);
        scene.expectRefused(answer, 401);
      }
    }
    expect(fetched).toBe(0);
    await scene.expectUntouched();
  });

  test("refuses a bearer token that has expired", async () => {
    const late = await Agent.signedIn(scene.server);
    scene.server.clock.advance(15 * 60_000);
    for (const [method, path] of routes()) {
      const answer = await send(scene.server.url, method, path, { token: late.token });
      scene.expectRefused(answer, 401, "Invalid or expired token");
    }
    await Promise.all([scene.victim.signIn(), scene.attacker.signIn()]);
    await scene.expectUntouched();
  });
});
