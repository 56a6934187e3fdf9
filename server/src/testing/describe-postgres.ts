import { describe } from "bun:test";
import { POSTGRES_PROGRAMS } from "./postgres.ts";

/** `describe` for tests on PostgreSQL; skips them if this machine has none. */
export const describePostgres = describe.skipIf(!POSTGRES_PROGRAMS);
