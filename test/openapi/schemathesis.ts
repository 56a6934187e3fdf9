import { expect, test } from "bun:test";
import { join } from "node:path";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { Agent } from "../support/agent.ts";
import { run, tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

/** Above `max-time` of the settings: its last requests may wait as long as the service lets them. */
const TIME_LIMIT_MS = 400_000;
const folder = join(import.meta.dir, "schemathesis");
const schemathesis = findProgram("schemathesis");

test.skipIf(schemathesis === null)(
  "Schemathesis finds no answer that the document does not allow, also from call to call",
  async () => {
    await using server = await startTestServer({
      LAUNCH_PAYER: "either",
      RATE_LIMIT_PUBLIC_PER_MINUTE: "0",
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
