import { compileFiles } from "../scripts/compile.ts";
import { CLOCKED } from "./support/processes.ts";

/** Compiles the servers that tests change. */
export const buildTestPrograms = () => compileFiles([CLOCKED.source], CLOCKED.binary);
