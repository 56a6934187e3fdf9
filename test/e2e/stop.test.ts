import { expect, setDefaultTimeout, test } from "bun:test";
import { connect } from "node:net";
import { Keypair } from "@solana/web3.js";
import { Agent } from "../support/agent.ts";
import { silentNode } from "../support/cluster-settings.ts";
import { type ServerProcess, startTokend, TOKEND, tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

async function stop(server: ServerProcess): Promise<{ code: number; seconds: number }> {
  const started = performance.now();
  const code = await server.end("SIGTERM");
  return { code, seconds: (performance.now() - started) / 1000 };
}

test("a server ignores signals that ask others to read files again; draining, it answers /health with 503 and everything else as before, then stops", async () => {
  using folder = tempDir();
  await using server = await startTokend(TOKEND, folder.path, { DRAIN_SECONDS: "300" });
  for (const signal of ["SIGHUP", "SIGUSR1", "SIGUSR2"] as const) {
    process.kill(server.pid, signal);
    while (!server.output().includes(`"signal":"${signal}"`)) await Bun.sleep(5);
  }
  const agent = await Agent.signedIn(server);
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  process.kill(server.pid, "SIGTERM");
  while (!server.output().includes('"msg":"draining')) await Bun.sleep(5);
  const health = await fetch(`${server.url}/health`);
  expect(health.status).toBe(503);
  expect(await health.json()).toEqual({
    ok: false,
    db: "connected",
    network: "sandbox",
    launchPayers: ["operator", "agent"],
    timestamp: expect.any(String),
    message: "This server is draining: it is about to stop",
    error: "The service cannot do its work",
    code: "unhealthy",
  });
  // Accepted, deployed and read while it drains; each answer ends its connection.
  expect(await agent.launched("DRAINS")).toMatchObject({ status: "success" });
  const { status, headers } = await agent.get("/api/v1/tokens/");
  expect({ status, connection: headers.get("connection") }).toEqual({
    status: 200,
    connection: "close",
  });
  // The second signal ends the wait, and the stop is a whole one.
  const { code, seconds } = await stop(server);
  expect(code).toBe(0);
  expect(seconds).toBeLessThan(100);
  expect(server.output()).toContain('"msg":"stopped"');
});

test("a server stops by itself when DRAIN_SECONDS are over: it answers the request that it is reading, and takes no new connection", async () => {
  using folder = tempDir();
  await using server = await startTokend(TOKEND, folder.path, { DRAIN_SECONDS: "1" });
  const { hostname, port } = new URL(server.url);
  const wallet = Keypair.generate().publicKey.toBase58();
  const body = JSON.stringify({ wallet });
  const answer = Promise.withResolvers<string>();
  const socket = connect(Number(port), hostname);
  socket.on("data", (data) => answer.resolve(data.toString()));
  socket.on("close", () => answer.reject(new Error("closed without an answer")));
  const half =
    `POST /api/auth/challenge HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`;
  // Called once it is connected and the kernel has the text, which on loopback is the other end's.
  await new Promise((resolve) => socket.write(half, resolve));
  // The server has read it once it answers a request that came later.
  await fetch(`${server.url}/health`);
  const stopped = stop(server);
  while (!server.output().includes('"msg":"stopping')) await Bun.sleep(5);
  expect(await fetch(`${server.url}/health`).catch(() => "refused")).toBe("refused");
  socket.write(body.slice(10));
  expect(await answer.promise).toStartWith("HTTP/1.1 200 ");
  socket.destroy();
  const { code, seconds } = await stopped;
  expect(code).toBe(0);
  expect(seconds).toBeGreaterThanOrEqual(1);
});

/** How long a stop may take. */
const STOP_MS = 8_000;

test("a stopping server leaves its launch pending in time, even if the RPC node never answers", async () => {
  using folder = tempDir();
  // A start waits seconds for a node that is silent.
  using node = silentNode(false);
  await using server = await startTestServer(node.settings(folder.path));
  const agent = await Agent.signedIn(server);
  node.fallSilent();
  const eventId = await agent.accepted("SILENT");
  await node.asked();
  const began = performance.now();
  const stopped = server.stop();
  server.clock.advance(STOP_MS);
  await stopped;
  // Its waits also end by themselves, after as much real time.
  expect(performance.now() - began).toBeLessThan(STOP_MS);

  node.release();
  await server.restart();
  await agent.signIn();
  expect(await agent.status(eventId)).toMatchObject({ status: "pending" });
});

test("a second signal ends a stopping server at once", async () => {
  using folder = tempDir();
  using node = silentNode(false);
  await using server = await startTokend(TOKEND, folder.path, node.settings(folder.path));
  const agent = await Agent.signedIn(server);
  node.fallSilent();
  await agent.launch({ ticker: "TWICE" });
  await node.asked();
  process.kill(server.pid, "SIGTERM");
  while (!server.output().includes('"msg":"stopping')) await Bun.sleep(5);
  // A stop that goes on to its end has code 0.
  expect((await stop(server)).code).toBe(143);
});
