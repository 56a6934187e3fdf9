import { join } from "node:path";

/** A package of the registry whose code is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its manifest names it, for example `MIT`. */
  readonly license: string | undefined;
  /** Absolute. */
  readonly folder: string;
}

/**
 * Finds the packages that a bundle is made of.
 *
 * @param inputs the files of the bundler's metafile, relative to the working directory
 * @returns each version of each package once, sorted
 */
export async function bundledPackages(inputs: readonly string[]): Promise<BundledPackage[]> {
  const folders = new Set<string>();
  for (const file of inputs) {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [];
    if (folder) folders.add(join(process.cwd(), folder));
  }
  const found = new Map<string, BundledPackage>();
  for (const folder of [...folders].sort()) {
    const { name, version, license } = await Bun.file(join(folder, "package.json")).json();
    const id = `${name}@${version}`;
    if (!found.has(id)) found.set(id, { name, version, license, folder });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}
