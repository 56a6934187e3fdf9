import { join } from "node:path";
import { startBrowser } from "../test/console/browser.ts";

/** Writes `docs/console.png`: a token's page of the demo's sandbox. */
const root = join(import.meta.dir, "..");
const demo = Bun.spawn([process.execPath, join(root, "examples/demo.ts"), "--web"], {
  stdin: "ignore",
  stdout: "pipe",
  stderr: "inherit",
});

async function address(): Promise<string> {
  let text = "";
  for await (const chunk of demo.stdout) {
    text += new TextDecoder().decode(chunk);
    const url = /^http\S+#\/sandbox\/\S+$/m.exec(text)?.[0];
    if (url) return url;
  }
  throw new Error(`The demo ended:\n${text}`);
}

try {
  const url = await address();
  await using browser = await startBrowser();
  const page = await browser.newPage({
    viewport: { width: 1280, height: 760 },
    deviceScaleFactor: 1.5,
    colorScheme: "light",
  });
  await page.goto(url);
  await page.getByRole("link", { name: "DEMO" }).first().click();
  // What the demo has claimed.
  await page.getByText("0.14").first().waitFor();
  await page.screenshot({ path: join(root, "docs/console.png") });
} finally {
  demo.kill("SIGINT");
  await demo.exited;
}
