import { readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { ROOT, run } from "./processes.ts";

/** Runs a command that must succeed. @returns what it printed */
export async function succeed(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await run(command, cwd, env);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${exitCode}\n${stdout}${stderr}`);
  return stdout;
}

/**
 * Packs a package as it is published.
 *
 * @param name its folder in the repository; it is built already
 * @returns the path of the tarball
 */
export async function pack(name: "sdk" | "cli", destination: string): Promise<string> {
  const before = new Set(await readdir(destination));
  // Without the build that packing begins with: other tests read its output at the same time.
  const quiet = ["--quiet", "--ignore-scripts"];
  const command = [process.execPath, "pm", "pack", "--destination", destination, ...quiet];
  await succeed(command, join(ROOT, name));
  const [tarball] = (await readdir(destination)).filter(
    (file) => file.endsWith(".tgz") && !before.has(file),
  );
  if (tarball === undefined) throw new Error(`bun pm pack wrote no package of ${name}`);
  return join(destination, tarball);
}

/**
 * Makes a folder a project with these packages in it, installed by npm from the registry.
 *
 * @param node the Node that runs npm. Default: this machine's
 */
export async function npmInstall(
  project: string,
  packages: readonly string[],
  node?: string,
): Promise<void> {
  await rm(join(project, "node_modules"), { recursive: true, force: true });
  await Bun.write(join(project, "package.json"), JSON.stringify({ type: "module" }));
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
  const npm = node === undefined ? ["npm"] : [node, await realpath(Bun.which("npm") ?? "npm")];
  const { HOME = "/root", NODE_EXTRA_CA_CERTS = "" } = process.env;
  // Behind a proxy that ends TLS, another Node than the system's knows its certificate only from there.
  await succeed([...npm, "install", ...quiet, ...packages], project, { HOME, NODE_EXTRA_CA_CERTS });
}
