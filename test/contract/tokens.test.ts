import { afterAll, describe, expect, test } from "bun:test";
import {
  MetadataDocumentSchema,
  PublicTokenSchema,
  TokenListSchema,
} from "@tokenctl/shared/contract/token";
import { Agent, expectShape, send } from "../support/agent.ts";
import { startTestServer } from "../support/test-server.ts";

const DAY_MS = 86_400_000;

const server = await startTestServer();
const agent = new Agent(server);
for (const ticker of ["ONE", "TWO", "THREE"]) {
  await agent.signIn();
  expect((await agent.launched(ticker)).status).toBe("success");
  server.clock.advance(DAY_MS);
}
await agent.signIn();
afterAll(() => server[Symbol.asyncDispose]());

async function list(query = "") {
  const { status, body } = await agent.get(`/api/v1/tokens/${query}`);
  expect(status).toBe(200);
  return expectShape(TokenListSchema, body);
}

describe("GET /metadata/:mint.json", () => {
  test("returns the token's document, public and cacheable", async () => {
    const [token] = (await list()).tokens;
    const path = `/metadata/${token?.tokenMint}.json`;
    const { status, body, headers } = await send(server.url, "GET", path);
    expect(status).toBe(200);
    const fee = { startBps: 100, endBps: 100, creatorSharePercent: 100 };
    expect(body).toEqual({
      name: "THREE token",
      symbol: "THREE",
      description: "",
      image: "",
      properties: {
        category: "image",
        files: [],
        creators: [{ address: agent.wallet, share: 100 }],
      },
      creator: agent.wallet,
      fees: { bondingCurve: fee, liquidityPool: fee },
    });
    expect(headers.get("cache-control")).toContain("public");
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test("carries image and links in the fields that wallets and explorers read", async () => {
    const other = await Agent.signedIn(server);
    const links = {
      website: "https://linked.example",
      twitter: "https://x.com/linked",
      telegram: "https://t.me/linked",
    };
    const imageUrl = "https://linked.example/coin.PNG?size=1";
    const about = { description: "It has links", imageUrl, ...links };
    const { tokenMint } = await other.launched("LINKED", about);
    const { body } = await send(server.url, "GET", `/metadata/${tokenMint}.json`);
    expect(expectShape(MetadataDocumentSchema, body)).toMatchObject({
      description: "It has links",
      image: imageUrl,
      external_url: links.website,
      ...links,
      extensions: links,
      properties: { files: [{ uri: imageUrl, type: "image/png" }] },
      creator: other.wallet,
    });
  });
});

describe("GET /public/tokens/:mint", () => {
  const read = (mint: string, url = server.url) => send(url, "GET", `/public/tokens/${mint}`);

  test("returns where a token comes from to anyone, cacheable, and readable from other pages", async () => {
    const [token] = (await list()).tokens;
    const { status, body, headers } = await read(token?.tokenMint ?? "");
    expect(status).toBe(200);
    const fee = { startBps: 100, endBps: 100, creatorSharePercent: 100 };
    expect(expectShape(PublicTokenSchema, body)).toMatchObject({
      tokenMint: token?.tokenMint,
      poolAddress: token?.poolAddress,
      ticker: "THREE",
      creator: agent.wallet,
      config: null,
      fees: { bondingCurve: fee, liquidityPool: fee },
      deployedAt: token?.deployedAt,
    });
    expect(headers.get("cache-control")).toBe("public, max-age=10");
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  test.each(["11111111111111111111111111111111", "x", "x".repeat(5000)])(
    "answers 404 to a mint that was not launched here, and no cache keeps it",
    async (mint) => {
      const { status, body, headers } = await read(mint);
      expect(status).toBe(404);
      expect(body).toEqual({ error: "Token not found", code: "token_not_found" });
      expect(headers.get("cache-control")).toBe("no-store");
    },
  );
});

describe("GET /public/tokens/:mint/market", () => {
  const read = (path: string) => send(server.url, "GET", `/public/${path}`);
  test.each(["markets?mints=x", `markets?mints=${Array(51).fill("1".repeat(32))}`])(
    "answers 400 to %#, and 404 to a token of another service",
    async (path) => {
      expect((await read(path)).status).toBe(400);
      expect((await read(`tokens/${"1".repeat(32)}/market`)).status).toBe(404);
      expect((await read(`tokens/${"1".repeat(32)}/market?period=year`)).status).toBe(400);
    },
  );
});
