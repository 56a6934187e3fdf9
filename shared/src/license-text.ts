import type { PackageLicense } from "./licenses.ts";

const SEPARATOR = `\n\n${"=".repeat(80)}\n\n`;

/** Returns what `licenses` prints: each package's name, version, licence and licence text. */
export function licenseText(licenses: readonly PackageLicense[]): string {
  if (licenses.length === 0) return "`bun run build` puts the licences into the programs.";
  return licenses
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text.trim()}`)
    .join(SEPARATOR);
}
