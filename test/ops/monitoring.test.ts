import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clusterSettings } from "../support/cluster-settings.ts";
import { startTestNode } from "../support/node.ts";
import { ROOT, tempDir } from "../support/processes.ts";
import { startHere } from "../support/test-server.ts";
import { findTool, use } from "./tool.ts";

const ALERTS = "ops/prometheus/alerts.yml";
const DASHBOARD = "ops/grafana/tokend.json";
const promtool = findTool("promtool");

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** What Prometheus reads of a server that has done nothing yet, by name and labels. */
async function scrape(): Promise<ReadonlyMap<string, string>> {
  using folder = tempDir();
  // The metrics of nodes are there if there are several.
  await using node = startTestNode();
  const { env } = clusterSettings(folder.path, `${node.url}/one,${node.url}/two`);
  const settings = { ...env, PORT: "0", METRICS_PORT: "0", DATA_DIR: join(folder.path, "data") };
  await using server = await startHere(settings);
  const text = await (await fetch(server.metricsUrl ?? "")).text();
  const samples = text.matchAll(/^([a-z]\S*?(?:\{.*\})?) (\S+)$/gm);
  return new Map([...samples].map(([, series = "", value = ""]) => [series, value]));
}

const scraped = await scrape();

const MINUTES = 40;
const constant = (value: number | string) => Array(MINUTES).fill(value).join(" ");
const from = (before: number, after: number) => `${before}x14 ${after}x${MINUTES}`;
const LAUNCHES = "tokend_launches_total";
const FAILED = `${LAUNCHES}{status="failed",payer="operator",cause="chain"}`;
const paidByAgent = `${LAUNCHES}{status="failed",payer="agent",cause="chain"}`;
const cancelled = `${LAUNCHES}{status="failed",payer="operator",cause="cancelled"}`;
const unsigned = `${LAUNCHES}{status="failed",payer="agent",cause="unsigned"}`;
const ROUNDS = "tokend_pool_watch_rounds_total";
const REFUSED = 'tokend_http_requests_total{method="GET",route="/health",status="503"}';

const WELL: Readonly<Record<string, number>> = {
  tokend_chain_usable: 1,
  tokend_wallet_launches: 200,
  tokend_uncollected_sol: 0.2,
  tokend_spent_today_sol: 0.1,
  tokend_daily_limit_sol: 1,
  tokend_disk_free_bytes: 5e9,
  nodejs_eventloop_lag_p99_seconds: 0.02,
  'tokend_rpc_node_usable{node="node 1"}': 1,
  'tokend_rpc_node_usable{node="node 2"}': 1,
};

const TROUBLES: readonly [string, Readonly<Record<string, string>>, readonly string[]][] = [
  ["none", {}, []],
  ["it does not answer", { up: from(1, 0) }, ["TokendDown"]],
  ["launches wait", { tokend_launch_queue_oldest_seconds: from(0, 301) }, ["TokendLaunchesWait"]],
  ["the wallet is short", { tokend_wallet_launches: from(20, 19) }, ["TokendLaunchWalletLow"]],
  ["the wallet is unknown", { tokend_wallet_launches: constant("NaN") }, []],
  [
    "the day's SOL is spent",
    { tokend_spent_today_sol: from(0.8, 0.81) },
    ["TokendDailyBudgetNearlySpent"],
  ],
  [
    "there is no limit",
    { tokend_spent_today_sol: from(0, 99), tokend_daily_limit_sol: constant("Inf") },
    [],
  ],
  ["the RPC is lost", { tokend_chain_usable: from(1, 0) }, ["TokendChainUnusable"]],
  [
    "the chain lands nothing",
    { tokend_chain_usable: from(1, 0), tokend_chain_stalled_seconds: from(0, 60) },
    ["TokendNothingLands"],
  ],
  ["launches are paused", { tokend_launches_paused: from(0, 1) }, ["TokendLaunchesPaused"]],
  ["the disk is nearly full", { tokend_disk_free_bytes: from(2e9, 1e9) }, ["TokendDiskNearlyFull"]],
  ["the disk is full", { tokend_database_writable: from(1, 0) }, ["TokendDatabaseNotWritable"]],
  ["the first launch fails", { [FAILED]: from(0, 1) }, ["TokendLaunchesFail"]],
  [
    "agents cancel, do not sign and pay for what fails",
    { [cancelled]: from(0, 5), [unsigned]: from(0, 5), [paidByAgent]: from(0, 5) },
    [],
  ],
  ["it answers with errors", { [REFUSED]: `0x14 1+12x${MINUTES}` }, ["TokendServerErrors"]],
  [
    "a node is left out",
    { 'tokend_rpc_node_usable{node="node 2"}': from(1, 0) },
    ["TokendRpcNodeLeftOut"],
  ],
  [
    "rounds fail",
    { [`${ROUNDS}{outcome="failed"}`]: `0x9 1+1x${MINUTES}` },
    ["TokendPoolWatchFails"],
  ],
  [
    "some rounds fail",
    {
      [`${ROUNDS}{outcome="failed"}`]: `0x9 1+1x${MINUTES}`,
      [`${ROUNDS}{outcome="done"}`]: `0+1x${MINUTES}`,
    },
    [],
  ],
  ["it is busy", { nodejs_eventloop_lag_p99_seconds: from(0.2, 0.3) }, ["TokendEventLoopSlow"]],
  ["earnings wait for less than a day", { tokend_uncollected_sol: from(1, 2) }, []],
  [
    "what lasts a moment",
    {
      up: "1x20 0 1x20",
      tokend_chain_usable: "1x20 0 1x20",
      tokend_chain_stalled_seconds: "0x20 30 0x20",
    },
    [],
  ],
];

test.skipIf(promtool.isMissing)(
  "each alert fires at its trouble and at no other, from what a server exports when it starts",
  async () => {
    await use(promtool, "check", "config", "ops/prometheus/prometheus.yml");
    using folder = tempDir();
    const asked = new Set(read(ALERTS).match(/\b(?:tokend|nodejs)_[a-z0-9_]+/g));
    const exported = new Map<string, string>([["up", "1"]]);
    for (const [series, value] of scraped) {
      if (asked.has(series.replace(/\{.*/, ""))) exported.set(series, value);
    }
    const tests = TROUBLES.map(([name, changes, alerts]) => {
      const missing = Object.keys({ ...WELL, ...changes }).filter((one) => !exported.has(one));
      expect([name, missing]).toEqual([name, []]);
      const input = [...exported].map(([series, value]) => {
        const labels = series === "up" ? 'job="tokend",instance="a"' : 'instance="a"';
        return {
          series: series.includes("{")
            ? series.replace("{", `{${labels},`)
            : `${series}{${labels}}`,
          values: changes[series] ?? constant(WELL[series] ?? value),
        };
      });
      const fires = alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }));
      const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
      return {
        name,
        interval: "1m",
        input_series: input,
        promql_expr_test: [{ expr, eval_time: `${MINUTES - 8}m`, exp_samples: fires }],
      };
    });
    const file = join(folder.path, "alerts.test.json");
    const rules = join(ROOT, ALERTS);
    await Bun.write(
      file,
      JSON.stringify({ rule_files: [rules], evaluation_interval: "1m", tests }),
    );
    await use(promtool, "test", "rules", file);
    const tested = TROUBLES.flatMap(([, , alerts]) => alerts);
    // One that waits for a day.
    const all = read(ALERTS).match(/(?<=alert: )\w+/g) ?? [];
    expect(all.filter((name) => !tested.includes(name))).toEqual(["TokendEarningsUncollected"]);
  },
);

test("each alert leads to a place in the docs", () => {
  const anchors = [...read("docs/operating.md").matchAll(/^#+ (.+)$/gm)].map(
    ([, title = ""]) =>
      `docs/operating.md#${title
        .toLowerCase()
        .replace(/[^a-z0-9_ -]/g, "")
        .replaceAll(" ", "-")}`,
  );
  const text = read(ALERTS);
  const runbooks = text.match(/(?<=runbook: ).+/g) ?? [];
  expect(runbooks.length).toBe(text.match(/alert: /g)?.length ?? 0);
  expect(runbooks.filter((place) => !anchors.includes(place))).toEqual([]);
});

test("alerts and dashboard ask only for metrics that a server has", () => {
  const there = [...scraped.keys()].map((series) => series.replace(/\{.*/, ""));
  const names = (text: string, pattern: RegExp) => [...new Set(text.match(pattern))].toSorted();
  for (const file of [ALERTS, DASHBOARD]) {
    const asked = names(read(file), /\b(?:tokend|process|nodejs)_[a-z0-9_]+/g).filter(
      // Of a route from its first answer on.
      (name) => name !== "tokend_http_request_duration_seconds_bucket",
    );
    expect(asked.length).toBeGreaterThan(6);
    expect(asked.filter((name) => !there.includes(name))).toEqual([]);
  }
});

test("each panel of the dashboard has a place and a number of its own", () => {
  const { panels, templating } = JSON.parse(read(DASHBOARD)) as {
    panels: { id: number; gridPos: { x: number; y: number; w: number; h: number } }[];
    templating: { list: { name: string }[] };
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(cells.every((cell) => Number(cell.split(" ")[0]) < 24)).toBe(true);
  expect(templating.list.map(({ name }) => name)).toEqual(["datasource", "instance"]);
});
