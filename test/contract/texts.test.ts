import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

const server = await startTestServer();
afterAll(() => server[Symbol.asyncDispose]());

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers });

test.each([
  ["/skill.md", "SKILL.md", "text/markdown; charset=utf-8"],
  ["/references/cli.md", "references/cli.md", "text/markdown; charset=utf-8"],
  ["/references/http.md", "references/http.md", "text/markdown; charset=utf-8"],
  ["/references/mcp.md", "references/mcp.md", "text/markdown; charset=utf-8"],
  ["/references/sdk.md", "references/sdk.md", "text/markdown; charset=utf-8"],
])("%s is the file of the skill, and caches may keep it", async (path, file, type) => {
  const answer = await ask(path);
  expect(await answer.text()).toBe(await Bun.file(join(ROOT, "skills/tokenctl", file)).text());
  expect(answer.headers.get("content-type")).toBe(type);
  expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
  const tag = answer.headers.get("etag") ?? "";
  for (const known of [tag, `"other", W/${tag}`, "*"]) {
    const again = await ask(path, { "if-none-match": known });
    expect({ status: again.status, text: await again.text() }).toEqual({ status: 304, text: "" });
  }
  expect((await ask(path, { "if-none-match": '"other"' })).status).toBe(200);
});

test("/llms.txt links every text, and each link answers", async () => {
  const answer = await ask("/llms.txt");
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await answer.text();
  expect(text).toStartWith("# Token launch service\n\n> ");
  const links = linksIn(text);
  expect(links).toContain("/skill.md");
  for (const link of [...links, ...linksIn(await (await ask("/skill.md")).text())]) {
    const { status } = await fetch(new URL(link, `${server.url}/skill.md`));
    expect({ link, status }).toEqual({ link, status: 200 });
  }
});

test("a text that is none is answered as every path that does not exist", async () => {
  for (const path of [
    "/references/none.md",
    "/references/..%2FSKILL.md",
    "/references/constructor",
  ]) {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: "not_found" });
  }
});

function linksIn(text: string): string[] {
  return Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, link = ""]) => link);
}
