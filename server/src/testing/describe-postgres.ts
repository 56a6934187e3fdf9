import { describe } from "bun:test";
import { POSTGRES_PROGRAMS } from "./postgres.ts";

if (!POSTGRES_PROGRAMS) {
  console.warn("Tests on PostgreSQL are skipped: `apt-get install postgresql` makes them run.");
}

/** `describe` for tests on PostgreSQL; skips them if this machine has none. */
export const describePostgres = describe.skipIf(!POSTGRES_PROGRAMS);
