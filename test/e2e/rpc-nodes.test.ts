import { expect, setDefaultTimeout, test } from "bun:test";
import { send } from "../support/agent.ts";
import { clusterSettings } from "../support/cluster-settings.ts";
import { startTestNode } from "../support/node.ts";
import { tempDir } from "../support/processes.ts";
import { startLogged } from "../support/test-server.ts";

setDefaultTimeout(300_000);

/** Starts a server whose nodes are at these URLs. */
async function start(
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
  urls: readonly string[],
) {
  const nodes = { RPC_URL: urls.join(", "), METRICS_PORT: "0" };
  const server = await startLogged(folder, { ...env, ...nodes });
  return {
    log: server.output,
    /** Polls `/health` until its message contains a text. @returns the message */
    async untilHealth(text: string): Promise<string> {
      for (;;) {
        const { body } = await send(server.url, "GET", "/health");
        const { operatorMessage: message = "" } = body as { operatorMessage?: string };
        if (message.includes(text)) return message;
        await Bun.sleep(20);
      }
    },
    metrics: async () => (await fetch(server.metricsUrl ?? "")).text(),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

test("/health, the log and the metrics tell several nodes by numbers, and show no URL", async () => {
  using folder = tempDir();
  const scene = { folder: folder.path, env: clusterSettings(folder.path).env };
  await using node = await startTestNode();
  await using other = await startTestNode();
  const key = "hunter2hunter2";
  const dead = `http://127.0.0.1:1/${key}`;
  await using first = await start(scene, [`${node.url}/${key}`, dead]);
  expect(await first.untilHealth("node 2")).toEndWith("(RPC: node 2 cannot be reached)");
  await first[Symbol.asyncDispose]();

  const urls = [`${other.url}/${key}`, dead, `${node.url}/${key}`];
  await using server = await start(scene, urls);
  const message = await server.untilHealth("node 2");
  expect(message).toEndWith(
    `(RPC: node 1 is on another cluster: a cluster of its own (genesis ${other.genesisHash}), node 2 cannot be reached)`,
  );
  expect(new Set(other.rpc.calls)).toEqual(new Set(["getGenesisHash"]));
  const metrics = await server.metrics();
  expect(metrics).toContain('tokend_rpc_node_usable{node="node 2"} 0');
  expect(metrics).toContain('tokend_rpc_node_usable{node="node 3"} 1');
  expect(server.log()).toContain('"node":"node 2","problem":"cannot be reached"');
  const shown = [message, metrics, server.log()].join();
  for (const secret of [key, new URL(node.url).host, new URL(other.url).host, "127.0.0.1:1"]) {
    expect(shown).not.toContain(secret);
  }
});
