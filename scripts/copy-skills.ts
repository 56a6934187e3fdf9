import { cp, rm } from "node:fs/promises";
import { join } from "node:path";

/** Copies the skills for models into a package's folder, as npm packs nothing from outside of it. */
export async function copySkills(packageRoot: string): Promise<void> {
  const target = join(packageRoot, "skills");
  await rm(target, { recursive: true, force: true });
  await cp(join(import.meta.dir, "../skills"), target, { recursive: true });
}
