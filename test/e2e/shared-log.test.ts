import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../server/src/testing/postgres.ts";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { startTokend, TOKEND, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

describe.skipIf(!POSTGRES_PROGRAMS)("a server whose database disappears", () => {
  test("logs neither the database's URL, host and password nor the shared secrets, and answers none of them", async () => {
    using folder = tempDir();
    const postgres = await sharedPostgres();
    const url = await postgres.createDatabase();
    const { env: cluster } = clusterSettings(folder.path);
    const secrets = {
      MINT_SECRET: "ab".repeat(32),
      JWT_SECRET: "secret of bearer tokens, long enough",
    };
    const env = { ...cluster, ...secrets, DATABASE_URL: url, LOG_LEVEL: "debug" };
    await using server = await startTokend(TOKEND, folder.path, env);
    const agent = await Agent.signedIn(server);
    expect((await agent.launch({ ticker: "FIRST" })).status).toBe(200);

    await postgres.dropDatabase(url);
    const refused = await agent.launch({ ticker: "SECOND" });
    expect([500, 503]).toContain(refused.status);
    const health = await fetch(`${server.url}/health`);
    expect(health.status).toBe(503);
    const answers = JSON.stringify(refused.body) + (await health.text());
    while (!/"level":"(?:warn|error)".*(?:database|Launch|launch)/.test(server.output())) {
      await Bun.sleep(10);
    }
    await server.end("SIGTERM");

    const { host, password } = new URL(url);
    const told = server.output() + answers;
    for (const secret of [url, host, password, ...Object.values(secrets)]) {
      expect(told).not.toContain(secret);
    }
  });
});
