/**
 * Builds the console into files that are named by their content: `dist/console.json` has them, with the names
 * of the script and the styles that each page begins with. What an agent's rooms need besides is in chunks of
 * its own, which a visitor does not load.
 */
import { basename, join } from "node:path";

const root = join(import.meta.dir, "..");

/** @returns what the page's scripts and styles are made of */
export function consoleBundle(source: string): Bun.BuildConfig {
  return {
    entrypoints: [join(source, "console/src/main.tsx")],
    target: "browser",
    format: "esm",
    splitting: true,
    minify: true,
    naming: {
      entry: "[name]-[hash].[ext]",
      chunk: "[name]-[hash].[ext]",
      asset: "[name]-[hash].[ext]",
    },
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
  const files = await Promise.all(
    outputs.map(async (output) => [basename(output.path), await output.text()] as const),
  );
  const nameOf = (isIt: (output: Bun.BuildArtifact) => boolean) =>
    basename(outputs.find(isIt)?.path ?? "");
  const script = nameOf(({ kind }) => kind === "entry-point");
  const style = nameOf(({ path }) => path.endsWith(".css"));
  const path = join(source, "console/dist/console.json");
  await Bun.write(path, JSON.stringify({ script, style, files: Object.fromEntries(files) }));
  return path;
}

if (import.meta.main) console.log(`Built ${await buildConsole()}`);
