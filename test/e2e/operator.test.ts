import { expect, setDefaultTimeout, test } from "bun:test";
import { clusterSettings, writeKeypairFile } from "../support/cluster-settings.ts";
import { startTestNode } from "../support/node.ts";
import { run, startTokend, TOKEND, tempDir } from "../support/processes.ts";

setDefaultTimeout(300_000);

test("config create with an empty wallet says how much SOL it needs, and sends nothing", async () => {
  using folder = tempDir();
  await using node = startTestNode();
  const { path, keypair } = writeKeypairFile(folder.path);
  const made = await run([...TOKEND, "config", "create"], folder.path, {
    RPC_URL: node.url,
    LAUNCH_KEYPAIR: path,
    MAX_DAILY_SPEND_SOL: "1",
  });
  expect(made).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `tokend: The launch wallet ${keypair.publicKey} holds 0 SOL and needs about 0.00908584 SOL for a config: send SOL to it.\n`,
  });
  expect(node.methods).not.toContain("sendTransaction");
});

test("healthcheck tells a server that may get requests from one that may not, and from none", async () => {
  using folder = tempDir();
  await using ready = await startTokend(TOKEND, folder.path);
  const check = (port: string) =>
    run([...TOKEND, "healthcheck"], folder.path, { HOST: "0.0.0.0", PORT: port });
  const { port } = new URL(ready.url);
  expect(await check(port)).toEqual({ exitCode: 0, stdout: "ready\n", stderr: "" });

  using other = tempDir();
  const { env } = clusterSettings(other.path);
  await using draining = await startTokend(TOKEND, other.path, { ...env, DRAIN_SECONDS: "300" });
  const its = new URL(draining.url).port;
  // Its RPC does not answer, which holds up launches alone.
  expect(await check(its)).toMatchObject({ exitCode: 0, stdout: "ready\n" });
  process.kill(draining.pid, "SIGTERM");
  while (!draining.output().includes('"msg":"draining')) await Bun.sleep(5);
  expect(await check(its)).toEqual({
    exitCode: 1,
    stdout: "not ready: This server is draining: it is about to stop\n",
    stderr: "",
  });

  await ready[Symbol.asyncDispose]();
  expect(await check(port)).toEqual({
    exitCode: 1,
    stdout: `no tokend answers at http://127.0.0.1:${port}/ready (ECONNREFUSED)\n`,
    stderr: "",
  });
});
