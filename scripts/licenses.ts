import { dirname, join } from "node:path";
import standard from "spdx-license-list/full";
import type { PackageLicense } from "../shared/src/licenses.ts";
import type { BundledPackage } from "./bundled-packages.ts";

/** Every spelling of the files that copies must carry. */
const FILES = new Bun.Glob("{LICENSE,LICENCE,License,license,NOTICE,COPYING}*");

/** In characters: a shorter file only names the licences. The text of ISC, the shortest, has 700. */
const SHORTEST = 400;

/** Replaces the module that programs read the licences from, which in the sources is empty. */
export function withLicenses(licenses: readonly PackageLicense[]): Bun.BunPlugin {
  return {
    name: "with-licenses",
    setup(build) {
      const contents = `export const licenses = ${JSON.stringify(licenses)};`;
      build.onLoad({ filter: /\/shared\/src\/licenses\.ts$/ }, () => ({ contents, loader: "js" }));
    },
  };
}

/**
 * @param name of the program
 * @param folder of its manifest
 * @returns the program's own licence, then those of its packages
 * @throws if a package has no licence
 */
export async function licensesOf(
  name: string,
  folder: string,
  packages: readonly BundledPackage[],
): Promise<PackageLicense[]> {
  const { version } = await Bun.file(join(folder, "package.json")).json();
  const text = await Bun.file(join(import.meta.dir, "../LICENSE")).text();
  return [{ name, version, license: "MIT", text }, ...(await Promise.all(packages.map(licenseOf)))];
}

async function licenseOf({ name, version, license, folder, files }: BundledPackage) {
  const declared = license?.replace(/^\((.*)\)$/, "$1");
  const names = await Array.fromAsync(FILES.scan(folder));
  // What bundlers cut out of a file, they put beside it.
  const paths = [
    ...names.sort().map((file) => join(folder, file)),
    ...files.map((file) => `${file}.LICENSE.txt`),
  ];
  const texts = await Promise.all(
    paths.map(async (path) => ((await Bun.file(path).exists()) ? Bun.file(path).text() : "")),
  );
  const own = texts.filter(Boolean).join("\n");
  const text =
    (own.length >= SHORTEST && own) ||
    (await licenseInReadme(folder)) ||
    (declared &&
      `${own || "Its package has no file with the licence."}\n${standardText(declared)}`);
  if (!text) throw new Error(`${name} has no licence in ${folder}`);
  return { name, version, license: declared ?? "as below", text };
}

/** @returns the section of the readme, if that is the licence's text and does not only name it */
async function licenseInReadme(folder: string): Promise<string | null> {
  const readme = Bun.file(join(folder, "README.md"));
  if (!(await readme.exists())) return null;
  const [, section = ""] = /\n#+ *licen[cs]e\n(.*)$/is.exec(await readme.text()) ?? [];
  return section.includes("Permission is hereby granted") ? section.trim() : null;
}

/** @param expression of SPDX, for example `MIT OR Apache-2.0` */
function standardText(expression: string): string {
  const texts = expression.split(/ (?:AND|OR) /).map((id) => standard[id]?.licenseText);
  if (texts.includes(undefined)) throw new Error(`${expression} has no standard text`);
  return `The standard text of ${expression}:\n\n${texts.join("\n\n")}`;
}

/** @returns the licences of Bun itself, which is in a compiled program whole with what it is linked with */
export async function licenseOfBun(): Promise<PackageLicense> {
  // The types of Bun bring its documentation.
  const types = dirname(Bun.resolveSync("@types/bun/package.json", import.meta.dir));
  const folder = dirname(Bun.resolveSync("bun-types/package.json", types));
  const page = await Bun.file(join(folder, "docs/project/license.mdx")).text();
  const names = page.replace(/^---\n.*?\n---\n/s, "").trim();
  const texts = ["MIT", "LGPL-2.0-only", "LGPL-2.1-only"].map(standardText);
  return {
    name: "bun",
    version: Bun.version,
    license: "MIT, LGPL-2.0-only, LGPL-2.1-only and others",
    text: [names, ...texts].join("\n\n"),
  };
}
