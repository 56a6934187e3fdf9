import { join } from "node:path";

export const benchFolder = join(import.meta.dir, "..");
export const repository = join(benchFolder, "..");
/** Seeded databases and what runs write; not in version control. */
export const dataFolder = join(benchFolder, "data");
