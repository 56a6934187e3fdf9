import { join } from "node:path";

/** A package of the registry whose code is in a bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its manifest names it, for example `MIT`. */
  readonly license: string | undefined;
  /** Absolute. */
  readonly folder: string;
  /** Those of its files that are in the bundle; absolute. */
  readonly files: readonly string[];
}

/** Replaces a package that may not be in a bundle. */
export const withoutWebSockets: Bun.BunPlugin = {
  name: "without-websockets",
  setup(build) {
    const path = join(import.meta.dir, "no-websockets.ts");
    build.onResolve({ filter: /^rpc-websockets$/ }, () => ({ path }));
  },
};

/**
 * Finds the packages that bundles are made of. It bundles in memory, and writes nothing.
 *
 * @returns each version of each package once, sorted
 */
export async function bundledPackages(
  ...bundles: readonly Bun.BuildConfig[]
): Promise<BundledPackage[]> {
  const filesOf = new Map<string, Set<string>>();
  for (const bundle of bundles) {
    for (const file of await bundledFiles(bundle)) {
      const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? [];
      if (folder) filesOf.set(folder, (filesOf.get(folder) ?? new Set()).add(file));
    }
  }
  const found = new Map<string, BundledPackage>();
  for (const [folder, files] of [...filesOf].sort()) {
    const { name, version, license } = await Bun.file(join(folder, "package.json")).json();
    const id = `${name}@${version}`;
    if (!found.has(id)) found.set(id, { name, version, license, folder, files: [...files] });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** @returns the absolute paths of the files that the bundle contains in whole or in part */
async function bundledFiles(bundle: Bun.BuildConfig): Promise<Set<string>> {
  const plugins = [...(bundle.plugins ?? []), withoutWebSockets];
  const { metafile } = await Bun.build({ ...bundle, plugins, metafile: true });
  const files = Object.values(metafile?.outputs ?? {}).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  return new Set(files.map(([file]) => join(process.cwd(), file)));
}
