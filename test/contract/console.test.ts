import { afterAll, expect, test } from "bun:test";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { copyToken } from "../../server/src/testing/launches.ts";
import { Agent } from "../support/agent.ts";
import { pngImage } from "../support/images.ts";
import { tempDir } from "../support/processes.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";

const server = await startTestServer();
afterAll(() => server[Symbol.asyncDispose]());

let read: Promise<{ readonly wallet: string; readonly tokenMint: string }> | undefined;
function readToken() {
  read ??= Agent.signedIn(server).then(async (agent) => {
    const { tokenMint } = await agent.launched("READ");
    return { wallet: agent.wallet, tokenMint: tokenMint ?? "" };
  });
  return read;
}

const HTML = { accept: "text/html,application/json;q=0.9,*/*;q=0.8" };

/** What crawlers, search engines and previews of links read of each page. */
const PAGES = [
  {
    path: "/",
    title: "tokend: tokens that agents launch on Solana",
    description: "Your agent launches the token. Every trade pays your agent.",
    card: "summary",
    needs: [],
  },
  {
    path: "/t/MINT",
    title: "READ token (READ)",
    description: "READ, a token launched by an agent on Solana",
    card: "summary_large_image",
    needs: [
      '<meta property="og:image" content="PAGE/card.png">',
      '<meta property="og:image:width" content="1200">',
      '<meta property="og:image:height" content="630">',
      '<meta property="og:image:alt" content="READ token (READ)',
    ],
  },
  {
    path: "/a/WALLET",
    title: "Agent SHORT on tokend",
    description: "It launched READ, and earns the creator&#x27;s fees of their trades.",
    card: "summary",
    needs: [],
  },
];

test.each(
  PAGES.flatMap((page) => [{}, { accept: "*/*" }].map((headers) => ({ ...page, headers }))),
)(
  "crawlers, which ask for $path with $headers, read what it is",
  async ({ path, title, description, card, needs, headers }) => {
    const { wallet, tokenMint } = await readToken();
    const fill = (text: string) =>
      text
        .replace("MINT", tokenMint)
        .replace("WALLET", wallet)
        .replace("SHORT", `${wallet.slice(0, 4)}…${wallet.slice(-4)}`);
    const url = server.url + fill(path).replace(/^\/$/, "");
    // Bun's `fetch` would add an `Accept`.
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
    get(url, { headers }, resolve);
    const answer = await promise;
    expect(answer.statusCode).toBe(200);
    const html = await text(answer);
    expect(html).toStartWith("<!doctype html>");
    for (const part of [
      `<title>${title}</title>`,
      `<meta name="twitter:card" content="${card}">`,
      '<meta property="og:site_name" content="tokend">',
      `<meta property="og:title" content="${title}">`,
      `<meta property="og:url" content="PAGE">`,
      '<link rel="canonical" href="PAGE">',
      'icon.png">\n<link rel="manifest"',
      '<meta name="theme-color" content="#f6f7f6" media="(prefers-color-scheme: light)">',
      '<meta name="theme-color" content="#0c0f0e" media="(prefers-color-scheme: dark)">',
      ...needs,
    ]) {
      expect(html).toContain(fill(part).replace("PAGE", url));
    }
    for (const name of ["description", "og:description"]) {
      const [, said] = RegExp(`="${name}" content="([^"]*)"`).exec(html) ?? [];
      // A token's market comes first once it is known.
      expect(said).toEndWith(description);
    }
    expect(html).toContain('<link rel="apple-touch-icon"');
    const [, data = ""] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      "@context": "https://schema.org",
      "@type": "WebPage",
      name: fill(title),
      url,
      isPartOf: { "@type": "WebSite", name: "tokend" },
    });
    const policy = String(answer.headers["content-security-policy"]).split("; ");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("connect-src 'self'");
  },
);

test("a browser gets the page, which cannot be framed, and asks for it only once", async () => {
  const page = await fetch(server.url, { headers: HTML });
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  const policy = page.headers.get("content-security-policy");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
  expect(await page.text()).toStartWith("<!doctype html>");
  const etag = page.headers.get("etag") ?? "";
  const again = await fetch(server.url, { headers: { ...HTML, "if-none-match": etag } });
  expect(again.status).toBe(304);
});

test("POST / finds no endpoint", async () => {
  const answer = await fetch(server.url, { method: "POST", headers: HTML });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ code: "not_found" });
});

test("each coding of a file has a tag of its own, and a weight of 0 refuses gzip", async () => {
  const ask = (coding: string, tag = "") =>
    fetch(`${server.url}/favicon.svg`, {
      headers: { "accept-encoding": coding, "if-none-match": tag },
      decompress: false,
    });
  const [plain, refused, gzip] = await Promise.all([
    ask("identity"),
    ask("gzip;q=0"),
    ask("br, gzip;q=0.5"),
  ]);
  expect(refused.headers.get("content-encoding")).toBeNull();
  expect(refused.headers.get("etag")).toBe(plain.headers.get("etag"));
  expect(gzip.headers.get("content-encoding")).toBe("gzip");
  expect(gzip.headers.get("etag")).not.toBe(plain.headers.get("etag"));
  const tag = plain.headers.get("etag") ?? "";
  expect([(await ask("identity", tag)).status, (await ask("gzip", tag)).status]).toEqual([
    304, 200,
  ]);
});

test("search engines are told of the pages, and a wallet without tokens has none", async () => {
  const agent = await Agent.signedIn(server);
  const { tokenMint } = await agent.launched("FOUND");
  const read = async (path: string) => (await fetch(server.url + path)).text();
  expect(await read("/robots.txt")).toContain("/sitemap.xml");
  expect(await read("/sitemap.xml")).toContain(`/t/${tokenMint}</loc>`);
  expect(JSON.parse(await read("/manifest.webmanifest"))).toMatchObject({ name: "tokend" });
  // Without JavaScript the page still shows its facts.
  const page = (await read(`/t/${tokenMint}`)).replace(/<script.*?<\/script>/gs, "");
  for (const fact of ["FOUND", tokenMint, agent.wallet]) expect(page).toContain(String(fact));
  expect(await read(`/a/${agent.wallet}`)).toContain("FOUND");
  const card = await (await fetch(`${server.url}/t/${tokenMint}/card.png`)).bytes();
  expect(await new Bun.Image(card).metadata()).toMatchObject({ width: 1200, height: 630 });
  const code = await fetch(`${server.url}/t/${tokenMint}/qr.svg`);
  expect(code.headers.get("content-type")).toBe("image/svg+xml");
  expect(await code.text()).toStartWith("<svg");
  expect((await fetch(`${server.url}/t/none/qr.svg`)).status).toBe(404);
  const none = await fetch(`${server.url}/a/${(await Agent.signedIn(server)).wallet}`);
  expect(none.status).toBe(404);
  expect(await none.text()).toContain("<title>Not found</title>");
});

test("the list for search engines ends after the newest 5,000 tokens", async () => {
  await using own = await startTestServer();
  await (await Agent.signedIn(own)).launched("COPIED");
  const mints = copyToken(join(own.config.dataDir, "tokend.sqlite"), 5_100);
  const list = await (await fetch(`${own.url}/sitemap.xml`)).text();
  const [, ...tokens] = [...list.matchAll(/<loc>[^<]*?([^</]+)<\/loc>/g)].map(([, mint]) => mint);
  expect(tokens).toEqual(mints.slice(-5_000).toReversed());
});

const page = async (of: TestServer, path: string) => {
  const answer = await fetch(`${of.url}/${path}`, { headers: HTML });
  return { status: answer.status, html: await answer.text() };
};

async function footOf(of: TestServer) {
  const [, ends = ""] = /<footer>(.*)<\/footer>/.exec((await page(of, "")).html) ?? [];
  return [...ends.matchAll(/href="([^"]+)"/g)].map(([, href = ""]) => href);
}

test("a page has the operator's name, logo, colour and links, and words of the operator's settings", async () => {
  using folder = tempDir();
  const BRAND_LOGO = join(folder.path, "logo.png");
  await Bun.write(BRAND_LOGO, pngImage(512, 256));
  const [SOURCE_URL, CONTACT_URL] = ["https://tokens.example/source", "mailto:hello@a.example"];
  const OPERATOR = {
    OPERATOR_NAME: "Tokens & Sons",
    OPERATOR_ADDRESS: "1 Example Road, Bern",
    OPERATOR_COUNTRY: "Switzerland",
    CONTACT_URL,
  };
  await using own = await startTestServer({
    ...{ ...OPERATOR, SOURCE_URL, LAUNCH_PAYER: "agent" },
    ...{ BRAND_NAME: "Acme & Sons", BRAND_LOGO, BRAND_COLOR: "#7a2fd0" },
  });
  const shows = async (path: string, ...texts: string[]) => {
    const { status, html } = await page(own, path);
    expect(status).toBe(200);
    for (const text of texts) expect(html, path).toContain(Bun.escapeHTML(text));
    return html;
  };
  expect(await shows("", "Acme & Sons")).toContain('rel="icon" href="icon.png"');
  await shows("assets/brand.css", "#7a2fd0");
  await shows("favicon.svg", "#7a2fd0");
  expect((await page(own, "manifest.webmanifest")).html).toContain("Acme & Sons");
  const sizeOf = async ({ url }: TestServer) => {
    const icon = await (await fetch(`${url}/icon.png`)).bytes();
    const { width, height } = await new Bun.Image(icon).metadata();
    return [width, height];
  };
  expect([await sizeOf(own), await sizeOf(server)]).toEqual([
    [256, 128],
    [256, 256],
  ]);
  const words = ["fees", "risks", "status", "terms", "privacy"];
  expect(await footOf(own)).toEqual([
    ...["openapi/json", "skill.md", `${SOURCE_URL}#readme`, ...words, SOURCE_URL, CONTACT_URL],
  ]);
  const fees = await shows("fees", "1 % of each trade. Of it, 100 % goes to the agent");
  expect(fees).toContain("The agent pays the network&#x27;s fees and rent, and sees");
  expect(fees).not.toContain('<script type="module"');
  expect(await shows("risks", "not an investment")).toMatch(
    /<footer><span><strong>Acme &amp; Sons<\/strong> \d+\.\d+\.\d+/,
  );
  await shows("status", "All systems work");
  const named = Object.values(OPERATOR).map((value) => value.replace("mailto:", ""));
  await shows("terms", ...named);
  await shows("privacy", "Privacy notice", "Network addresses of launches", ...named);
});

test("with CONSOLE=private there is a page, but no list of the latest tokens; its own privacy notice leads elsewhere", async () => {
  const latest = async (of: TestServer) => JSON.parse((await page(of, "t/list?search=list")).html);
  expect((await (await Agent.signedIn(server)).launched("LISTED")).status).toBe("success");
  expect(await latest(server)).toMatchObject({
    tokens: [{ ticker: "LISTED" }],
    totals: { tokens: expect.any(Number) },
  });
  const PRIVACY_URL = "https://tokens.example/privacy";
  await using own = await startTestServer({ CONSOLE: "private", PRIVACY_URL });
  expect((await (await Agent.signedIn(own)).launched("LISTED")).status).toBe("success");
  expect(await latest(own)).toEqual({ tokens: [], hasMore: false, totals: null });
  expect((await page(own, "sitemap.xml")).html.match(/<loc>/g)).toHaveLength(1);
  const words = ["fees", "risks", "status"];
  expect(await footOf(server)).toEqual(["openapi/json", "skill.md", ...words]);
  expect(await footOf(own)).toEqual(["openapi/json", "skill.md", ...words, PRIVACY_URL]);
  expect((await page(own, "privacy")).status).toBe(404);
});

test("with CONSOLE=off a browser finds nothing either", async () => {
  await using off = await startTestServer({ CONSOLE: "off" });
  expect((await page(off, "")).status).toBe(404);
});
