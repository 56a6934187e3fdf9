import { join } from "node:path";
import { compileFiles } from "../scripts/compile.ts";
import { CLOCKED } from "./support/processes.ts";

const thread = join(import.meta.dir, "../server/src/store/sqlite/checkpointer-thread.ts");

/** Compiles the servers that tests change. */
export const buildTestPrograms = () => compileFiles([CLOCKED.source, thread], CLOCKED.binary);
