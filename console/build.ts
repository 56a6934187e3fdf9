/**
 * Builds the console into one page with its script and styles inside, so that it requests nothing but the
 * API: `dist/console.json` has the page and its Content-Security-Policy, which names both by their hashes.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** Only these may run and style; the API is the page's own origin. Pictures are the server's or just chosen. */
const policy = (script: string, style: string) =>
  [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "connect-src 'self'",
    "img-src 'self' blob: data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

const hashOf = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

/** @returns what the page's script and styles are made of */
export function consoleBundle(source: string): Bun.BuildConfig {
  return {
    entrypoints: [join(source, "console/src/main.tsx")],
    target: "browser",
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
  };
}

/**
 * @param source the sources. Default: this repository
 * @returns the file's path
 * @throws {AggregateError} if the sources do not bundle
 */
export async function buildConsole(source = root): Promise<string> {
  const { outputs } = await Bun.build(consoleBundle(source));
  const textOf = async (kind: string) =>
    (await outputs.find(({ path }) => path.endsWith(kind))?.text()) ?? "";
  // The end of the script's element must not occur within it.
  const script = (await textOf(".js")).replaceAll("</script", "<\\/script");
  const style = await textOf(".css");
  const path = join(source, "console/dist/console.json");
  await Bun.write(
    path,
    JSON.stringify({ html: page(script, style), policy: policy(script, style) }),
  );
  return path;
}

function page(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>tokend</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="root"><noscript>This page needs JavaScript; the API does not.</noscript></div>
<script type="module">${script}</script>
</body>
</html>
`;
}

if (import.meta.main) console.log(`Built ${await buildConsole()}`);
