import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TokenListSchema } from "@tokenctl/shared/contract/token";
import { dataFiles } from "../../server/src/config/config.ts";
import { adminJson } from "../support/admin.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { startTestServer } from "../support/test-server.ts";

const TEXTS = { description: "Words of a stranger", website: "https://stranger.example/" };

/** Pages and lists are kept for at most ten seconds. */
const PAGES_KEPT_MS = 10_001;

const operator = (...args: string[]) => adminJson(server.config.dataDir, ...args);

const server = await startTestServer({ CONTACT_URL: "mailto:abuse@tokens.example" });
afterAll(() => server?.[Symbol.asyncDispose]());

async function launched(ticker: string, side: number) {
  const agent = await Agent.signedIn(server);
  const upload = await agent.upload(pngImage(side, side));
  const { url: imageUrl } = (await upload.json()) as { url: string };
  const hash = imageUrl.split("/").at(-1)?.replace(".png", "") ?? "";
  const { tokenMint, eventId } = await agent.launched(ticker, { ...TEXTS, imageUrl });
  const mint = tokenMint ?? "";
  await agent.post("/dev/airdrop", { sol: 5 });
  await agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: 2 });
  return { agent, mint, eventId, imageUrl, hash };
}

type Launched = Awaited<ReturnType<typeof launched>>;

/** Every address that anyone may read, as the API's document and the pages have them. */
async function publicDoors({ mint, hash, agent }: Launched): Promise<string[]> {
  const document = (await (await fetch(`${server.url}/openapi/json`)).json()) as {
    paths: Record<string, { get?: { security?: unknown[] } }>;
  };
  const open = Object.entries(document.paths).flatMap(([path, { get }]) =>
    get && (get.security?.length ?? 0) === 0 ? [path] : [],
  );
  const filled = open.map((path) =>
    path
      .replace("{mintAddress}", mint)
      .replace("/metadata/{file}", `/metadata/${mint}.json`)
      .replace("/images/{file}", `/images/${hash}.png`)
      .replace(/\/public\/markets$/, `/public/markets?mints=${mint}`),
  );
  const pictures = [`/images/${hash}.png?size=96`, `/t/${mint}/card.png`];
  const pages = ["/", "/t/list", `/t/${mint}`, `/a/${agent.wallet}`, "/sitemap.xml"];
  return [...filled.filter((path) => !path.includes("{")), ...pictures, ...pages];
}

/** @returns the doors that answer with something of the token that is not on chain, or show it at all */
async function doorsThatShow(token: Launched): Promise<string[]> {
  const { mint, hash } = token;
  const told = [...Object.values(TEXTS), hash, `"${mint}"`, `/t/${mint}`];
  const shown: string[] = [];
  for (const path of await publicDoors(token)) {
    for (const accept of ["text/html", "application/json"]) {
      const answer = await fetch(server.url + path, { headers: { accept } });
      const isImage = answer.headers.get("content-type")?.startsWith("image/") ?? false;
      const text = isImage ? hash : await answer.text();
      if (answer.ok && told.some((one) => text.includes(one))) shown.push(path);
    }
  }
  return [...new Set(shown)].map((path) => path.replace(mint, "MINT").replace(hash, "HASH"));
}

describe("tokend admin hide", () => {
  let token: Launched;
  beforeAll(async () => {
    token = await launched("HIDDEN", 7);
  });

  test("takes a token and its image from every public door, and unhide brings it back", async () => {
    const markets = async () =>
      await (await fetch(`${server.url}/public/markets?mints=${token.mint}`)).text();
    while (!(await markets()).includes(token.mint)) {
      server.clock.advance(5_000);
      await Bun.sleep(10);
    }
    const before = await doorsThatShow(token);
    expect(before).toEqual(
      expect.arrayContaining([
        "/metadata/MINT.json",
        "/images/HASH.png",
        "/images/HASH.png?size=96",
        "/t/MINT/card.png",
        "/public/tokens/MINT",
        "/public/markets?mints=MINT",
        "/",
        "/t/list",
        "/t/MINT",
        "/sitemap.xml",
      ]),
    );
    const hidden = await operator("hide", "HIDDEN", "--reason", "a court's order");
    expect(hidden).toMatchObject({ kind: "changed", tokenMint: token.mint });
    server.clock.advance(PAGES_KEPT_MS);
    expect(await doorsThatShow(token)).toEqual([]);
    expect((await fetch(`${server.url}/t/${token.mint}`)).status).toBe(404);
    const market = await fetch(`${server.url}/public/tokens/${token.mint}/market`);
    expect([market.status, await market.json()]).toMatchObject([404, { code: "token_not_found" }]);
    await operator("unhide", token.mint);
    server.clock.advance(PAGES_KEPT_MS);
    expect(await doorsThatShow(token)).toEqual(before);
  });

  test("keeps name and symbol in the document of the chain, and the agent's claims", async () => {
    await operator("hide", token.eventId, "--reason", "a court's order");
    const document = await fetch(`${server.url}/metadata/${token.mint}.json`);
    expect(document.headers.get("cache-control")).not.toContain("immutable");
    expect(await document.json()).toMatchObject({
      name: "HIDDEN token",
      symbol: "HIDDEN",
      description: "",
      image: "",
    });
    expect((await token.agent.claim(token.mint)).claimedSOL).toBeGreaterThan(0);
    const { body } = await token.agent.get("/api/v1/tokens/");
    expect(expectShape(TokenListSchema, body).tokens[0]?.tokenMint).toBe(token.mint);
    await operator("unhide", token.eventId);
  });

  test("needs a reason, which the audit keeps, and says what changed nothing", async () => {
    await expect(operator("hide", "HIDDEN")).rejects.toThrow("give one with --reason");
    await expect(operator("unhide", "HIDDEN")).rejects.toThrow("HIDDEN is not hidden");
    await expect(operator("hide", "NOSUCH", "--reason", "x")).rejects.toThrow("no token NOSUCH");
    const { entries } = await operator("audit");
    expect(entries).toContainEqual(
      expect.objectContaining({ action: "hide", subject: token.mint, reason: "a court's order" }),
    );
  });

  test("hides an image for every token that has it, until all of them are shown", async () => {
    const other = await launched("SAME", 7);
    expect(other.hash).toBe(token.hash);
    const image = async () => (await fetch(other.imageUrl)).status;
    await operator("hide", "HIDDEN", "--reason", "x");
    await operator("hide", "SAME", "--reason", "x");
    await operator("unhide", "HIDDEN");
    expect(await image()).toBe(404);
    await operator("unhide", "SAME");
    expect(await image()).toBe(200);
  });
});

test("tokend admin forget erases what is not on chain, and says what stays", async () => {
  const [kept, same] = [await launched("KEPT", 11), await launched("ALSO", 11)];
  await operator("forget", same.agent.wallet, "--reason", "asked by mail");
  expect((await fetch(kept.imageUrl)).status).toBe(200);
  const token = await launched("FORGET", 9);
  const { agent, mint, imageUrl } = token;
  await agent.post("/api/v1/webhooks", { url: "http://127.0.0.1:9/hook" });
  const { status, eventId } = await agent.launched("NOTOKEN", { onChainName: "Words on no chain" });
  expect(status).toBe("rate_limited");
  const { erased } = await operator("forget", agent.wallet, "--reason", "asked by mail");
  expect(erased).toMatchObject({ launches: 2, images: 1, webhooks: 1 });
  expect(await operator("launch", eventId)).toMatchObject({ ticker: "NOTOKEN", name: "NOTOKEN" });
  using database = new Database(dataFiles(server.config.dataDir).database, { readonly: true });
  const texts = database.query("select on_chain_name from launches where event_id = ?");
  expect(texts.values(eventId)).toEqual([[null]]);
  expect(erased.events).toBeGreaterThan(0);
  const document = await (await fetch(`${server.url}/metadata/${mint}.json`)).json();
  expect(document).toMatchObject({ name: "FORGET token", description: "", image: "" });
  expect((await fetch(imageUrl)).status).toBe(404);
  expect((await agent.get("/api/v1/webhooks")).body).toMatchObject({ webhooks: [] });
  expect((await agent.claim(mint)).claimedSOL).toBeGreaterThan(0);
});

test("an imitation is warned of, to its agent before the launch and to everyone after it", async () => {
  const agent = await Agent.signedIn(server);
  const warningsOf = async (mint: string | null) =>
    ((await (await fetch(`${server.url}/public/tokens/${mint}`)).json()) as { warnings?: unknown })
      .warnings;
  const first = await agent.launched("FIRST", { name: "Good coin" });
  expect(await warningsOf(first.tokenMint)).toBeUndefined();
  const warnings = [
    "Its ticker looks like SOL, which it is not",
    `Its name looks like that of an older token of this service, ${first.tokenMint}`,
  ];
  const request = { name: "GOOD-C0IN", ticker: "S0L" };
  const { body } = await agent.post("/api/v1/tokens/launch/check", request);
  expect(body).toMatchObject({ warnings });
  const second = await (await Agent.signedIn(server)).launched("S0L", request);
  expect(await warningsOf(second.tokenMint)).toEqual(warnings);
  await operator("hide", "FIRST", "--reason", "a court's order");
  expect(await warningsOf(second.tokenMint)).toEqual(warnings.slice(0, 1));
});

test("security.txt says where to report", async () => {
  const answer = await fetch(`${server.url}/.well-known/security.txt`);
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const lines = (await answer.text()).split("\n");
  expect(lines[0]).toBe("Contact: mailto:abuse@tokens.example");
  const expires = Date.parse(lines[1]?.replace("Expires: ", "") ?? "");
  expect(expires - server.clock.now()).toBeLessThan(365 * 86_400_000);
});
