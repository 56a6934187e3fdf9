/**
 * The SDK's package in a real browser, on a page of another origin than the API. `bun run
 * check:packages` runs it where Chromium is installed.
 */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { bundleForBrowsers } from "../../sdk/test/bundles.ts";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { npmInstall, pack } from "../support/packages.ts";
import { startTokend, TOKEND, tempDir } from "../support/processes.ts";

setDefaultTimeout(120_000);

const chromium = findProgram("chromium");
const folder = tempDir();
afterAll(() => folder[Symbol.dispose]());

test.skipIf(chromium === null)("a token lives its whole life in Chromium", async () => {
  const project = join(folder.path, "project");
  await npmInstall(project, [await pack("sdk", folder.path)]);
  const script = "web-life.mjs";
  await cp(join(import.meta.dir, "../../sdk/test/runtime", script), join(project, script));
  const bundle = await bundleForBrowsers(project, true);

  const done = Promise.withResolvers<string>();
  using page = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    routes: {
      "/bundle.js": new Response(bundle, { headers: { "content-type": "text/javascript" } }),
      "/done": async (request) => {
        done.resolve(await request.text());
        return new Response();
      },
      "/": (request) => {
        const api = JSON.stringify(new URL(request.url).searchParams.get("api"));
        const report = `(text) => fetch("/done", { method: "POST", body: text })`;
        const html = `<script src="/bundle.js"></script><script>
          bundle.live(${api}, "CHROME").then(JSON.stringify, String).then(${report});</script>`;
        return new Response(html, { headers: { "content-type": "text/html" } });
      },
    },
  });
  const CORS_ORIGINS = page.url.origin;
  await using server = await startTokend(TOKEND, folder.path, { CORS_ORIGINS });
  const browser = Bun.spawn(
    [
      chromium ?? "",
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      `--user-data-dir=${join(folder.path, "profile")}`,
      "--remote-debugging-port=0",
      `${page.url.origin}/?${new URLSearchParams({ api: server.url })}`,
    ],
    // Debian's program is a script, which would leave the browser when it is killed alone.
    { stdout: "ignore", stderr: "ignore", detached: true },
  );
  try {
    const answer = await done.promise;
    expect(answer).toStartWith("{");
    const checks = JSON.parse(answer);
    expect(Object.keys(checks).length).toBeGreaterThan(6);
    expect(Object.entries(checks).filter(([, passed]) => passed !== true)).toEqual([]);
  } finally {
    process.kill(-browser.pid);
    await browser.exited;
  }
});
