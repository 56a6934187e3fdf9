import { licenseText } from "@tokenctl/shared/license-text";
import { licenses } from "@tokenctl/shared/licenses";

/** @returns the licences of what the program contains, as text or JSON */
export function licensesOutput(json: boolean): string {
  return `${json ? JSON.stringify({ packages: licenses }, null, 2) : licenseText(licenses)}\n`;
}
