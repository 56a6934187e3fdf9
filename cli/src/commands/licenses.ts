import { licenseText } from "@tokenctl/shared/license-text";
import { licenses as packages } from "@tokenctl/shared/licenses";
import type { Context, Result } from "../context.ts";

export async function licenses({ settings }: Context): Promise<Result> {
  const data = { packages };
  const text = settings.json ? JSON.stringify(data, null, 2) : licenseText(packages);
  return { data, view: { raw: `${text}\n` } };
}
