import { expect, test } from "bun:test";
import { startTestServer } from "../support/test-server.ts";

test("a second server on a port refuses to start and says why, and the first still answers", async () => {
  await using first = await startTestServer();
  const { port } = new URL(first.url);
  await expect(startTestServer({ PORT: port })).rejects.toThrow(
    `127.0.0.1:${port} is taken: another program listens there; stop it, or set PORT to another`,
  );
  for (let request = 0; request < 20; request++) {
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
  }
});

test("a server whose metrics port is taken refuses to start, and says why", async () => {
  await using first = await startTestServer({ METRICS_PORT: "0" });
  const { port } = new URL(first.metricsUrl ?? "");
  await expect(startTestServer({ METRICS_PORT: port })).rejects.toThrow(
    `127.0.0.1:${port} is taken: another program listens there; stop it, or set METRICS_PORT to another`,
  );
  expect((await fetch(first.metricsUrl ?? "")).status).toBe(200);
});
