import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { describeMeteora } from "../../../server/src/launchpad/meteora/testing/programs.ts";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../../server/src/testing/postgres.ts";
import { Agent } from "../../support/agent.ts";
import { run, TOKEND, tempFolder } from "../../support/processes.ts";
import { Cluster } from "../cluster.ts";
import { figures, scale } from "../scale.ts";
import { sql } from "./postgres-pair.ts";
import { ServerGroup, SHARED_SECRETS } from "./server-group.ts";

setDefaultTimeout(600_000);

/** How many agents launch and claim in turn before the migration, during and after it. */
const LIVES = scale(3, 30);

/** What a newer version may do to the database while this one runs: it only adds. */
const EXPANSION = `
  begin;
  alter table launches add column note text;
  alter table launches add column priority integer not null default 0;
  alter table tokens add column note text;
  alter table prepared add column note text;
  create table notes (id bigint primary key);
  create index launches_by_priority on launches (priority);
  update tokend_schema set version = version + 1;
  commit;`;

describeMeteora.skipIf(!POSTGRES_PROGRAMS)("a rolling upgrade", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("disturbs no running server of the older version, and no such server starts any more", async () => {
    const postgres = await sharedPostgres();
    const database = await postgres.createDatabase();
    const { env } = await cluster.launchWallet();
    await using group = await ServerGroup.start({
      env: () => ({ ...env, RPC_URL: cluster.url }),
      database,
      servers: 2,
    });
    let lives = 0;
    let isMigrated = false;
    const agents = group.all.map(async ({ url }) => {
      for (let left = LIVES; left > 0; isMigrated && left--) await live(url, lives++);
    });
    while (lives < 2 * LIVES) await Bun.sleep(20);
    await sql(postgres, EXPANSION, database);
    isMigrated = true;
    await Promise.all(agents);
    expect(group.all.map((server) => server.output()).join("")).not.toMatch(
      /"level":"(error|fatal)"/,
    );

    using folder = tempFolder();
    const started = await run(TOKEND, folder.path, {
      ...env,
      ...SHARED_SECRETS,
      RPC_URL: cluster.url,
      DATABASE_URL: database,
      DATA_DIR: folder.path,
      PORT: "0",
    });
    expect(started).toMatchObject({ exitCode: 1 });
    expect(started.stderr).toContain("newer");
    expect(started.stderr).not.toContain("    at ");
    figures("rolling upgrade", { launchesAndClaims: lives });
  });

  /** A new agent launches, and claims what its token earns. Nothing may go wrong. */
  async function live(url: string, index: number): Promise<void> {
    const agent = await Agent.signedIn({ url });
    const { status, tokenMint, poolAddress } = await agent.launched(`U${index}`);
    expect(status).toBe("success");
    await cluster.earnIn(poolAddress ?? "", agent.keypair.publicKey);
    expect((await agent.claim(tokenMint ?? "")).claimedSOL).toBeGreaterThan(0);
  }
});
