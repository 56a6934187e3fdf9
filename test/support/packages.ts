import { cp, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
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
 * Builds and packs a package by the command of its README, in a copy of what it is made of, in which
 * nothing was built.
 *
 * @param name its folder in the repository
 * @returns the path of the tarball
 */
export async function pack(name: "sdk" | "cli", destination: string): Promise<string> {
  await mkdir(join(ROOT, "dist"), { recursive: true });
  // Beside the packages that the build reads, so that its output has their paths of a clone.
  const copy = await mkdtemp(join(ROOT, "dist/.copy-"));
  try {
    const files = await succeed(["git", "ls-files"], ROOT);
    const needed = /^(?:sdk|cli|shared|scripts|skills)\/|^[^/]+$|\/package\.json$/;
    for (const file of files.split("\n").filter((path) => needed.test(path))) {
      await cp(join(ROOT, file), join(copy, file));
    }
    await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
    for (const one of ["sdk", "cli", "shared"]) {
      const links = `${one}/node_modules`;
      await cp(join(ROOT, links), join(copy, links), { recursive: true, verbatimSymlinks: true });
    }
    const readme = await Bun.file(join(ROOT, name, "README.md")).text();
    const [, command = "", file = ""] =
      /^cd (?:sdk|cli) && bun (pm pack --filename (\S+\.tgz))$/m.exec(readme) ?? [];
    if (!new RegExp(`^npm install (?:-g )?\\S*/${RegExp.escape(file)}$`, "m").test(readme)) {
      throw new Error(`${name}/README.md installs something else than ${file}`);
    }
    await succeed([process.execPath, ...command.split(" ")], join(copy, name));
    await cp(join(copy, name, file), join(destination, file));
    return join(destination, file);
  } finally {
    await rm(copy, { recursive: true });
  }
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
