import { expect, test } from "bun:test";
import { join } from "node:path";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { Agent } from "../support/agent.ts";
import { NO_RATE_LIMITS, run, tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";

/** Above `max-time` of the settings: its last requests may wait as long as the service lets them. */
const TIME_LIMIT_MS = 400_000;
const folder = join(import.meta.dir, "schemathesis");
const schemathesis = findProgram("schemathesis");

test.skipIf(schemathesis === null)(
  "Schemathesis finds no answer that the document does not allow, also from call to call",
  async () => {
    using data = tempDir();
    // On the system's clock: a test's own clock stands still, so that no wait would end.
    await using server = await startHere({
      PORT: "0",
      DATA_DIR: data.path,
      ...NO_RATE_LIMITS,
      LAUNCH_PAYER: "either",
    });
    const agent = await Agent.signedIn(server);
    await agent.post("/dev/airdrop", { sol: 10 });
    const { tokenMint } = await agent.launched("FOUND");
    await agent.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
    // It keeps what it found where it runs.
    using home = tempDir();
    const command = [schemathesis ?? "", "--config-file", join(folder, "schemathesis.toml"), "run"];
    const { exitCode, stdout } = await run(
      [...command, `${server.url}/openapi/json`, "-H", `Authorization: Bearer ${agent.token}`],
      home.path,
      { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" },
    );
    console.log(stdout);
    expect(exitCode).toBe(0);
  },
  TIME_LIMIT_MS,
);
