import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { isBrowserMissing, openConsole, startBrowser } from "../console/browser.ts";
import { installBinaries } from "../support/binaries.ts";
import { type ServerProcess, startTokend, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

describe.skipIf(isBrowserMissing)("the viewer of the API document", () => {
  const folder = tempDir();
  let server: ServerProcess;
  let browser: Browser;

  beforeAll(async () => {
    const [{ tokend }, started] = await Promise.all([installBinaries(folder.path), startBrowser()]);
    browser = started;
    server = await startTokend([tokend], folder.path);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** A proxy that serves the server under `/base`, as a `PUBLIC_URL` with a path needs it. */
  function proxy() {
    return Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        const { pathname } = new URL(request.url);
        if (!pathname.startsWith("/base/")) return new Response("Not here", { status: 404 });
        const headers = { "accept-encoding": "identity" };
        return fetch(server.url + pathname.slice("/base".length), { headers });
      },
    });
  }

  test("shows every operation, and loads and calls nothing but the server that it comes from, by whatever name and path that is", async () => {
    using between = proxy();
    await using opened = await openConsole(browser, `${between.url.origin}/base/openapi`);
    const { page, faults, foreign } = opened;
    type Operations = Record<string, Record<string, { operationId: string }>>;
    const document = (await (await fetch(`${server.url}/openapi/json`)).json()) as Record<
      "paths" | "webhooks",
      Operations
    >;
    const ids = Object.values({ ...document.paths, ...document.webhooks }).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    const health = page.locator("#operations-Health-getHealth");
    await health.waitFor();
    const shown = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.opblock')].map(({ id }) => id.split('-').at(-1))",
    );
    expect(shown.toSorted()).toEqual(ids.toSorted());
    await health.locator(".opblock-summary-control").click();
    await health.getByRole("button", { name: "Try it out" }).click();
    await health.getByRole("button", { name: "Execute" }).click();
    const answer = health.locator(".live-responses-table .response-col_description").last();
    await answer.getByText('"connected"').waitFor();
    expect({ faults, foreign }).toEqual({ faults: [], foreign: [] });
  });
});
