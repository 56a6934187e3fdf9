import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { startServer } from "../../server/src/server.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { startTestNode } from "../support/node.ts";
import { ROOT, tempFolder } from "../support/processes.ts";
import { findTool, use } from "./tool.ts";

const ALERTS = "ops/prometheus/alerts.yml";
const DASHBOARD = "ops/grafana/tokend.json";
const promtool = findTool("promtool");

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test.skipIf(promtool.isMissing)("each alert fires at its trouble, and at no other", async () => {
  await use(promtool, "check", "config", "ops/prometheus/prometheus.yml");
  await use(promtool, "test", "rules", "ops/prometheus/alerts.test.yml");
});

test("alerts and dashboard ask only for metrics that a server has", async () => {
  using folder = tempFolder();
  // The metrics of nodes are there if there are several.
  await using node = startTestNode();
  const { env } = clusterSettings(folder.path, `${node.url}/one,${node.url}/two`);
  const settings = { ...env, PORT: "0", METRICS_PORT: "0", DATA_DIR: join(folder.path, "data") };
  await using stack = new AsyncDisposableStack();
  const server = await startServer(readConfig(settings), {
    clock: systemClock,
    log: createLog("silent"),
  });
  stack.defer(() => server.stop());
  const metrics = await (await fetch(server.metricsUrl ?? "")).text();
  const names = (text: string, pattern: RegExp) => [...new Set(text.match(pattern))].toSorted();
  const there = names(metrics, /(?<=^# TYPE )\w+/gm);
  for (const file of [ALERTS, DASHBOARD]) {
    const asked = names(read(file), /\b(?:tokend|process|nodejs)_[a-z0-9_]+/g).map((name) =>
      name.replace(/_bucket$/, ""),
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
