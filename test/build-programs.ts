/** Compiles the servers of the tests, which start them over and over. */
import { join } from "node:path";
import { compileFiles } from "../scripts/compile.ts";
import { binaryOf, sourceOf, TEST_PROGRAMS } from "./support/test-programs.ts";

const thread = join(import.meta.dir, "../server/src/base/checkpointer-thread.ts");
for (const program of TEST_PROGRAMS) {
  await compileFiles([sourceOf(program), thread], binaryOf(program));
}
