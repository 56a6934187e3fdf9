import { expect, test } from "bun:test";
import { run, TOKEND } from "../../test/support/processes.ts";
import { rootHelp } from "./root-help.ts";

test("tokend --help prints what the grammar prints, from a text made when it was built", async () => {
  const help = await run([...TOKEND, "--help"], "/tmp");
  expect(help).toEqual({ exitCode: 0, stdout: rootHelp(), stderr: "" });
  const { exitCode, stdout } = await run([...TOKEND, "help"], "/tmp");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: help.stdout });
});
