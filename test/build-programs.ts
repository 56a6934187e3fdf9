import { join } from "node:path";
import { compileFiles } from "../scripts/compile.ts";
import { binaryOf, sourceOf, TEST_PROGRAMS } from "./support/test-programs.ts";

const thread = join(import.meta.dir, "../server/src/base/checkpointer-thread.ts");

export async function buildTestPrograms(): Promise<void> {
  await Promise.all(
    TEST_PROGRAMS.map((program) => compileFiles([sourceOf(program), thread], binaryOf(program))),
  );
}
