import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT, run, tempDir } from "../../test/support/processes.ts";
import { startTestServer } from "../../test/support/test-server.ts";

const first = join(ROOT, "examples/first-token.ts");
const example = join(ROOT, "examples/launch-and-claim.ts");

test("the first example of both READMEs runs from a new key to a claimed fee, again and again", async () => {
  for (const readme of ["README.md", "sdk/README.md"]) {
    const [, shown] = /```ts\n(.*?)```/s.exec(await Bun.file(join(ROOT, readme)).text()) ?? [];
    expect(shown).toBe(await Bun.file(first).text());
  }
  await using server = await startTestServer();
  using folder = tempDir();
  const live = () => run([process.execPath, first], folder.path, { TOKENCTL_API_URL: server.url });
  for (const attempt of [await live(), await live()]) {
    expect(attempt).toMatchObject({ stderr: "", exitCode: 0 });
    expect(attempt.stdout).toMatch(/^0\.01 SOL, [1-9A-HJ-NP-Za-km-z]{86,88}\n$/);
  }
});

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
});
