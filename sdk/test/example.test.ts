import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT, run, tempDir } from "../../test/support/processes.ts";
import { startTestServer } from "../../test/support/test-server.ts";

const first = join(ROOT, "examples/first-token.ts");

test("the examples go from a new key to claimed fees, the first one again and again", async () => {
  for (const readme of ["README.md", "sdk/README.md"]) {
    const [, shown] = /```ts\n(.*?)```/s.exec(await Bun.file(join(ROOT, readme)).text()) ?? [];
    expect(shown).toBe(await Bun.file(first).text());
  }
  await using server = await startTestServer();
  using folder = tempDir();
  const life =
    /^I am \w{32,44}\n[\s\S]*Launch: success\n.* trades: mint .*\n(Claimable: .* SOL\n)+Claimed 0\.\d+ SOL: /;
  const claimed = /^0\.01 SOL, \w{86,88}\n$/;
  for (const [example, output] of [
    [first, claimed],
    [first, claimed],
    [join(ROOT, "examples/launch-and-claim.ts"), life],
  ] as const) {
    const env = { TOKENCTL_API_URL: server.url };
    const lived = await run([process.execPath, example], folder.path, env);
    expect(lived).toMatchObject({ stderr: "", exitCode: 0 });
    expect(lived.stdout).toMatch(output);
  }
});

test("a wallet that is not kept launches nothing but on a sandbox", async () => {
  const asked: string[] = [];
  const fetch = ({ url }: Request) => {
    asked.push(new URL(url).pathname);
    return Response.json({ ok: true, db: "connected", timestamp: "now", network: "devnet" });
  };
  await using devnet = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
  const env = { TOKENCTL_API_URL: devnet.url.origin };
  const example = join(ROOT, "examples/launch-and-claim.ts");
  const { exitCode, stderr } = await run([process.execPath, example], ROOT, env);
  expect({ exitCode, asked }).toEqual({ exitCode: 1, asked: ["/health"] });
  expect(stderr).toStartWith("Set TOKENCTL_KEYPAIR");
});
