import { join } from "node:path";
import { Enums, Models, Serialize, Spec } from "@cyclonedx/cyclonedx-library";
import { bundledPackages } from "../bundled-packages.ts";
import { targets } from "./binaries.ts";

/** A package of the registry inside an artefact. */
interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  readonly license?: string | undefined;
  /** As npm writes it, for example `sha512-…`. */
  readonly integrity: string;
}

/**
 * Where the artefacts begin, by what they run on: Bun, which is in the binaries, has its own undici. The
 * console is in `tokend` as a page that was built before.
 */
const entries = {
  bun: [
    "server/src/main.ts",
    "server/src/store/sqlite/checkpointer-thread.ts",
    "console/src/main.tsx",
    "signers/src/launch-signer.ts",
  ],
  node: ["cli/src/bin.ts", "sdk/src/index.ts"],
} as const;

/**
 * Lists the packages whose code is in the artefacts: those that the bundler takes up, and the addons.
 *
 * @returns sorted by name
 * @throws if one of them is not in the lockfile
 */
export async function shippedPackages(root: string): Promise<ShippedPackage[]> {
  const integrities = await lockedIntegrities(root);
  const bundles = (["bun", "node"] as const).map((target) => ({
    entrypoints: entries[target].map((entry) => join(root, entry)),
    target,
  }));
  const bundled = await bundledPackages(...bundles);
  // One project publishes them all: the addons have its version and its licence.
  const litesvm = bundled.find(({ name }) => name === "litesvm");
  const addons = targets.map(({ addon }) => ({
    name: addon,
    version: litesvm?.version ?? "",
    license: litesvm?.license,
  }));
  return [...bundled.filter(({ name }) => !addons.some((addon) => addon.name === name)), ...addons]
    .map(({ name, version, license }) => {
      const integrity = integrities.get(`${name}@${version}`);
      if (integrity === undefined) throw new Error(`bun.lock does not have ${name}@${version}`);
      return { name, version, license, integrity };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @returns hashes by `name@version` */
async function lockedIntegrities(root: string): Promise<Map<string, string>> {
  // It is JSON with trailing commas.
  const lock = Bun.JSONC.parse(await Bun.file(join(root, "bun.lock")).text()) as {
    packages: Record<string, [id: string, registry: string, needs: unknown, integrity: string]>;
  };
  return new Map(Object.values(lock.packages).map(([id, , , integrity]) => [id, integrity]));
}

/** @returns a bill of materials as CycloneDX 1.6 JSON, the same for the same packages */
export function toCycloneDx(version: string, packages: readonly ShippedPackage[]): string {
  const bom = new Models.Bom();
  bom.metadata.component = new Models.Component(Enums.ComponentType.Application, "tokenctl", {
    version,
    bomRef: "tokenctl",
  });
  // The binaries hold it whole.
  const bun = `pkg:npm/bun@${Bun.version}`;
  bom.components.add(
    new Models.Component(Enums.ComponentType.Platform, "bun", {
      version: Bun.version,
      purl: bun,
      bomRef: bun,
    }),
  );
  for (const { name, version: of, license, integrity } of packages) {
    const [scope, bare = ""] = name.startsWith("@") ? name.split("/") : [undefined, name];
    const purl = `pkg:npm/${name.replace("@", "%40")}@${of}`;
    const component = new Models.Component(Enums.ComponentType.Library, bare, {
      ...(scope !== undefined && { group: scope }),
      version: of,
      purl,
      bomRef: purl,
    });
    if (license !== undefined) component.licenses.add(new Models.LicenseExpression(license));
    const [, sha512 = ""] = /^sha512-(.+)$/.exec(integrity) ?? [];
    const digest = Buffer.from(sha512, "base64").toString("hex");
    component.hashes.set(Enums.HashAlgorithm["SHA-512"], digest);
    bom.components.add(component);
  }
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  return new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 });
}
