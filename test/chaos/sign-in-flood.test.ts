import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { signInMessage } from "@tokenctl/shared/sign-in";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { readConfig } from "../../server/src/config/config.ts";
import { testApp } from "../../server/src/testing/test-app.ts";
import { figures } from "./scale.ts";

const CHALLENGES = 100_000;
/** Enough for the limits to permit each network its 500 challenges at once, for its own wallet. */
const NETWORKS = 200;

function heap(): number {
  Bun.gc(true);
  return heapStats().heapSize;
}

test("a wallet can sign in after 100,000 challenges that 200 networks leave unsigned", async () => {
  const { authPerMinute, walletPerMinute } = readConfig({}).limits;
  using service = await testApp(null, {
    TRUST_PROXY: "true",
    RATE_LIMIT_AUTH_PER_MINUTE: String(authPerMinute),
    RATE_LIMIT_WALLET_PER_MINUTE: String(walletPerMinute),
  });
  const post = async (path: string, from: string, json: object) => {
    const headers = { "x-forwarded-for": from };
    return service.send("POST", path, { wallet: null, headers, json });
  };
  const wallets = Array.from({ length: NETWORKS }, () => Keypair.generate().publicKey.toBase58());
  const statuses = new Map<number, number>();
  const flood = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const network = n % NETWORKS;
      const from = `2001:db8:0:${network.toString(16)}::${(n % 65_536).toString(16)}`;
      const { status } = await post("/api/auth/challenge", from, { wallet: wallets[network] });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const victim = Keypair.generate();
  const wallet = victim.publicKey.toBase58();
  const signIn = async () => {
    const challenge = await post("/api/auth/challenge", "192.0.2.1", { wallet });
    const { nonce } = (await challenge.json()) as { nonce: string };
    const bytes = new TextEncoder().encode(signInMessage(nonce));
    const signature = bs58.encode(nacl.sign.detached(bytes, victim.secretKey));
    return post("/api/auth/verify", "192.0.2.1", { wallet, nonce, signature });
  };

  await flood(1_000);
  const before = heap();
  await flood(CHALLENGES - 1_000);
  const grown = heap() - before;
  const verified = await signIn();
  figures("challenges that are never answered", {
    statuses: Object.fromEntries(statuses),
    networks: NETWORKS,
    bytesLeftByEach: Math.round((grown / CHALLENGES) * 10) / 10,
    signInAfterwards: verified.status,
  });

  expect(verified.status).toBe(200);
  expect(Object.fromEntries(statuses)).toEqual({ 200: CHALLENGES });
  expect(grown / CHALLENGES).toBeLessThan(50);
});
