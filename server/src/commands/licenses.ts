import { licenseText } from "@tokenctl/shared/license-text";
import { licenses as packages } from "@tokenctl/shared/licenses";

export function licenses(): void {
  console.log(licenseText(packages));
}
