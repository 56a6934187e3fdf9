import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  MAX_RSS_BYTES,
  refusals,
  runMeasured,
  startHostileServer,
} from "../../sdk/test/hostile-answers.ts";
import { installBinaries } from "../support/binaries.ts";
import { tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

const folder = tempDir();

const { tokenctl } = await installBinaries(folder.path);
afterAll(() => folder[Symbol.dispose]());

test("the compiled client refuses an answer that would fill its memory", async () => {
  await using hostile = await startHostileServer();
  for (const [kind, code] of Object.entries(refusals(true))) {
    const { stdout, stderr, exitCode, maxRss } = await runMeasured(
      [tokenctl, "health", "--json", "--api-url", `${hostile.url}/${kind}`],
      folder.path,
    );
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toMatchObject({ code });
    expect(exitCode).toBe(1);
    expect(maxRss).toBeLessThan(MAX_RSS_BYTES);
  }
  await hostile.endlessGivenUp;
});
