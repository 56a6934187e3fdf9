import { afterAll, expect, test } from "bun:test";
import { Receiver } from "../../../server/src/modules/webhooks/testing/receiver.ts";
import { startTestServer } from "../../../test/support/test-server.ts";
import { run, temporaryWallet } from "../testing/cli.ts";

const server = await startTestServer({}, {}, Date.now());
afterAll(() => server[Symbol.asyncDispose]());

test("a webhook is added, tested, listed and removed", async () => {
  using wallet = temporaryWallet();
  await using receiver = new Receiver();
  const tokenctl = (...args: string[]) =>
    run([...args, "--api-url", server.url, "-k", wallet.keypair]);
  const added = JSON.parse((await tokenctl("webhooks", "add", receiver.url, "--json")).stdout);
  expect(added.url).toBe(receiver.url);
  expect(added.secret).toStartWith("whsec_");
  const tested = await tokenctl("webhooks", "test", added.id);
  expect(tested).toMatchObject({ stderr: "", exitCode: 0 });
  expect(tested.stdout).toMatch(/1 +test +pending/);
  await receiver.got(1);
  const refused = await tokenctl("webhooks", "add", "ftp://agent.example");
  expect(refused.stderr).toContain("  <url> must be an https URL\n");
  const listed = await tokenctl("webhooks", "list");
  expect(listed.stdout).toMatch(new RegExp(`${added.id} +ok +0 +- +${receiver.url}`));

  await tokenctl("launch", "--name", "Mine", "--ticker", "CLIHOOK");
  await receiver.got(2);
  const log = await tokenctl("webhooks", "deliveries", added.id, "--limit", "2", "--json");
  expect(JSON.parse(log.stdout).deliveries).toHaveLength(2);

  expect((await tokenctl("webhooks", "remove", added.id)).stdout).toBe(
    `Removed  ${receiver.url}\n`,
  );
  expect((await tokenctl("webhooks", "list")).stdout).toBe("This wallet has no webhooks.\n");
});
