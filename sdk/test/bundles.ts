import { join } from "node:path";
import { build } from "esbuild";

/**
 * Bundles `web-life.mjs` with the installed package for browsers, as one script that sets the global
 * `bundle`.
 *
 * @param project a folder that the package is installed in
 * @param minify as a site that counts bytes does
 * @returns the script
 * @throws what esbuild found, for example an import of a module of Node
 */
export async function bundleForBrowsers(project: string, minify: boolean): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(project, "web-life.mjs")],
    bundle: true,
    minify,
    platform: "browser",
    format: "iife",
    globalName: "bundle",
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.text ?? "";
}

/**
 * Bundles `web-life.mjs` with the installed package for Node.
 *
 * @param project a folder that the package is installed in
 * @returns the name of a program in it, which lives by `API_URL` and `TICKER`, and prints what was checked
 */
export async function bundleForNode(project: string, format: "esm" | "cjs"): Promise<string> {
  const outfile = format === "esm" ? "bundle.mjs" : "bundle.cjs";
  const contents = `import { live } from "./web-life.mjs";
    const { API_URL, TICKER } = process.env;
    live(API_URL, TICKER).then((checks) => console.log(JSON.stringify(checks)));`;
  await build({
    stdin: { contents, resolveDir: project },
    outfile: join(project, outfile),
    bundle: true,
    platform: "node",
    format,
    logLevel: "silent",
  });
  return outfile;
}
