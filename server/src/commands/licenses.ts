import { licenseText } from "@tokenctl/shared/license-text";
import { licenses as packages } from "@tokenctl/shared/licenses";

/** Prints the licences of what the program contains. */
export function licenses(): void {
  console.log(licenseText(packages));
}
