import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../server/src/testing/postgres.ts";
import { Agent } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { run, startTokend, TOKEND, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

describe.skipIf(!POSTGRES_PROGRAMS)("a service on PostgreSQL", () => {
  test("is restored from a dump by the commands that backup and restore name", async () => {
    using folder = tempDir();
    const postgres = await sharedPostgres();
    const url = await postgres.createDatabase();
    const { env: cluster } = clusterSettings(folder.path);
    const secrets = { MINT_SECRET: "ab".repeat(32), JWT_SECRET: "j".repeat(32) };
    const at = (databaseUrl: string) => ({ ...cluster, ...secrets, DATABASE_URL: databaseUrl });
    const file = join(folder.path, "tokend's.dump");

    async function follow(command: "backup" | "restore", databaseUrl: string) {
      const advice = await run([...TOKEND, command, file], folder.path, at(databaseUrl));
      expect(advice.exitCode).toBe(1);
      const line = /^ {2}(pg_.*)$/m.exec(advice.stderr)?.[1] ?? "";
      const result = await run(["sh", "-c", line], folder.path, {
        PATH: `${POSTGRES_PROGRAMS}:${process.env.PATH}`,
        PGPASSWORD: new URL(databaseUrl).password,
      });
      expect(result).toMatchObject({ exitCode: 0, stderr: "" });
    }

    await using server = await startTokend(TOKEND, folder.path, at(url));
    const agent = await Agent.signedIn(server);
    const other = await Agent.signedIn(server);
    const eventId = await agent.accepted("KEPT");
    await follow("backup", url);
    await other.launch({ ticker: "LATER" });
    expect(await server.end("SIGTERM")).toBe(0);

    const restored = await postgres.createDatabase();
    await follow("restore", restored);
    await using again = await startTokend(TOKEND, folder.path, at(restored));
    agent.server = again;
    other.server = again;
    // Its bearer token too is still good.
    expect(await agent.status(eventId)).toMatchObject({ status: "pending", ticker: "KEPT" });
    // What came after the dump is not there.
    expect((await other.launch({ ticker: "LATER" })).status).toBe(200);
    expect((await other.launch({ ticker: "KEPT" })).status).toBe(409);
  });
});
