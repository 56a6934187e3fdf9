import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type Clock, systemClock } from "../../server/src/base/clock.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { admin, adminJson } from "../support/admin.ts";
import { Agent } from "../support/agent.ts";
import { Cluster } from "../support/cluster.ts";
import { tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";

setDefaultTimeout(300_000);

/** The servers look for launches of others every minute: here they wait for nothing that long. */
const impatient: Clock = {
  ...systemClock,
  after: (milliseconds, call) => systemClock.after(Math.min(milliseconds, 200), call),
};

describeMeteora("two servers with databases of their own, by mistake on one launch wallet", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  /** Starts a server that looks often, and resolves once it has looked for the first time. */
  function start(dataDir: string, env: Readonly<Record<string, string>>, isPaused = false) {
    const settings = { ...env, RPC_URL: cluster.url, PORT: "0", DATA_DIR: dataDir };
    return startHere(settings, { clock: impatient, isPaused });
  }

  /** Waits until launches are paused. @returns why */
  async function untilPaused(dataDir: string): Promise<string> {
    for (;;) {
      const { pauses } = await adminJson(dataDir, "status");
      if (pauses.launches !== undefined) return pauses.launches;
      await Bun.sleep(50);
    }
  }

  test("both stop launching until the operator has looked, and what they launched before counts for nothing", async () => {
    using folder = tempDir();
    const [one, two] = [join(folder.path, "one"), join(folder.path, "two")];
    const { env } = await cluster.launchWallet();
    {
      await using before = await start(one, env);
      const agent = await Agent.signedIn(before);
      expect(await agent.launched("BEFORE")).toMatchObject({ status: "success" });
    }
    await using first = await start(one, env);
    await using second = await start(two, env, true);
    const [here, there] = [await Agent.signedIn(first), await Agent.signedIn(second)];
    expect(await there.launch({ ticker: "PAUSED" })).toMatchObject({
      status: 503,
      body: {
        code: "paused",
        error: expect.stringContaining("started the service with launches paused"),
      },
    });
    await admin(two, "resume", "launches");
    // A launch of its own pauses no server.
    expect(await here.launched("HERE")).toMatchObject({ status: "success" });
    expect(await untilPaused(two)).toContain("another server launches from this service's wallet");
    expect((await adminJson(one, "status")).pauses).toEqual({});
    expect(await there.launch({ ticker: "THERE" })).toMatchObject({
      status: 503,
      body: { code: "paused" },
    });
    const { entries } = await adminJson(two, "audit");
    expect(entries[0]).toMatchObject({ actor: "tokend", action: "pause", subject: "launches" });

    await admin(two, "resume", "launches");
    expect(await there.launched("THERE")).toMatchObject({ status: "success" });
    expect(await untilPaused(one)).toContain("another server launches from this service's wallet");
  });
});
