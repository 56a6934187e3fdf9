import { licenseText } from "@tokenctl/shared/license-text";
import { licenses as packages } from "@tokenctl/shared/licenses";
import type { Desk, Result } from "../desk.ts";

export async function licenses({ settings }: Desk): Promise<Result> {
  const data = { packages };
  const text = settings.json ? JSON.stringify(data, null, 2) : licenseText(packages);
  return { data, view: { raw: `${text}\n` } };
}
