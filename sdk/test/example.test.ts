import { expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { startTestServer } from "../../test/support/test-server.ts";

const example = fileURLToPath(import.meta.resolve("../../examples/launch-and-claim.ts"));

test("the example launches, earns and claims", async () => {
  await using server = await startTestServer();
  const agent = Bun.spawn([process.execPath, example], {
    env: { PATH: process.env.PATH ?? "", TOKENCTL_API_URL: server.url },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(agent.stdout).text(),
    new Response(agent.stderr).text(),
    agent.exited,
  ]);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^I am [1-9A-HJ-NP-Za-km-z]{32,44}\n/);
  expect(stdout).toMatch(
    /Launch: success\n.* trades: mint .*\n(Claimable: .* SOL\n)+Claimed 0\.\d+ SOL: /,
  );
}, 60_000);
