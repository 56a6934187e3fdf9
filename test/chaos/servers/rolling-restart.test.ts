import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { keypairSigner, TokenctlClient } from "@tokenctl/sdk";
import { describeMeteora } from "../../../server/src/launchpad/meteora/testing/programs.ts";
import { heldPort } from "../../../server/src/testing/held-port.ts";
import { POSTGRES_PROGRAMS, sharedPostgres } from "../../../server/src/testing/postgres.ts";
import { Cluster } from "../../support/cluster.ts";
import { type ServerProcess, startTokend, TOKEND, tempDir } from "../../support/processes.ts";
import { figures, scale } from "../scale.ts";
import { Balancer } from "./balancer.ts";
import { countLaunches, untilAtRest } from "./count-launches.ts";
import { SHARED_SECRETS } from "./server-group.ts";

setDefaultTimeout(scale(600_000, 900_000));

const SERVERS = 3;
const REQUESTS_PER_SECOND = scale(60, 200);
const CLIENTS = 20;
const ROUNDS = scale(1, 10);
/** Longer than the test takes: a second signal ends a drain once the balancer has seen it. */
const DRAIN_SECONDS = 300;

describeMeteora.skipIf(!POSTGRES_PROGRAMS)("a rolling restart of three servers", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(1);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test("fails no request of the SDK's callers, and answers none with 5xx", async () => {
    const result = await restartUnderLoad(DRAIN_SECONDS);
    figures("rolling restart", result);
    expect(result.failures).toEqual({});
    expect(Object.keys(result.statuses).filter((status) => status >= "500")).toEqual([]);
    expect(result.pending).toBe(0);
  });

  test.skipIf(scale(1, 0) === 1)(
    "fails no request of the SDK's callers without a drain",
    async () => {
      const result = await restartUnderLoad(0);
      figures("rolling restart without DRAIN_SECONDS", result);
      expect(result.failures).toEqual({});
      expect(result.pending).toBe(0);
    },
  );

  async function restartUnderLoad(drainSeconds: number) {
    const postgres = await sharedPostgres();
    const database = await postgres.createDatabase();
    const { env } = await cluster.launchWallet();
    using folder = tempDir();
    await using balancer = new Balancer();
    const start = async (index: number, port?: string) =>
      startTokend(TOKEND, join(folder.path), {
        ...env,
        ...SHARED_SECRETS,
        RPC_URL: cluster.url,
        DATABASE_URL: database,
        DATA_DIR: join(folder.path, String(index)),
        // The SDK signs nonces of the host that it asks.
        PUBLIC_URL: balancer.url,
        DRAIN_SECONDS: String(drainSeconds),
        PORT: port ?? String(await heldPort()),
      });
    await using running = new AsyncDisposableStack();
    const servers: ServerProcess[] = await Promise.all(
      Array.from({ length: SERVERS }, (_, index) => start(index)),
    );
    running.defer(async () => {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    });
    for (const { url } of servers) balancer.add(url);
    await balancer.untilHealthy(SERVERS);

    const endLoad = await startLoad(balancer.url);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, server] of servers.entries()) {
        if (drainSeconds > 0) {
          process.kill(server.pid, "SIGTERM");
          await balancer.untilDrained(SERVERS - 1);
        }
        expect(await server.end("SIGTERM")).toBe(0);
        servers[index] = await start(index, new URL(server.url).port);
        await balancer.untilHealthy(SERVERS);
      }
    }
    const { requests, failures, seconds } = await endLoad();
    const count = countLaunches(postgres, database);
    await untilAtRest(count);
    return {
      restarts: ROUNDS * SERVERS,
      drainSeconds,
      requests,
      requestsPerSecond: Math.round(requests / seconds),
      failures,
      statuses: balancer.statuses,
      ...(await count()),
    };
  }
});

/** Calls the SDK, at a rate that falls if the machine is too slow for it, until it is told to end. */
async function startLoad(apiUrl: string) {
  const failures: Record<string, number> = {};
  let requests = 0;
  let isOver = false;
  const newClient = () => {
    const signer = keypairSigner(Keypair.generate().secretKey);
    return new TokenctlClient({ apiUrl, signer });
  };
  /** Of a hundred calls 2 launch, 8 sign in again, and the others read. */
  const call = async (index: number, client: TokenctlClient) => {
    const ticker = `R${index.toString(36).toUpperCase()}`;
    if (index % 50 === 0) await newClient().launch({ name: ticker, ticker });
    else if ((index % 100) % 12 === 1) await newClient().login();
    else await client.tokens({ limit: 10 });
  };
  const clients = Array.from({ length: CLIENTS }, newClient);
  await Promise.all(clients.map((client) => client.login()));
  const started = performance.now();
  const calls = clients.map(async (client) => {
    while (!isOver) {
      const dueMs = (requests / REQUESTS_PER_SECOND) * 1000;
      await Bun.sleep(Math.max(0, started + dueMs - performance.now()));
      await call(requests++, client).catch((error: unknown) => {
        failures[String(error)] = (failures[String(error)] ?? 0) + 1;
      });
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(calls);
    return { requests, failures, seconds: (performance.now() - started) / 1000 };
  };
}
