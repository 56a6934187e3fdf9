import { expect, test } from "bun:test";
import { generateSecretKey, keypairSigner, TokenctlClient } from "@tokenctl/sdk";
import { startTestServer } from "../../../test/support/test-server.ts";
import { run } from "../testing/cli.ts";
import { MINT } from "../testing/records.ts";

async function against(answer: () => Response, ...flags: string[]) {
  using node = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
  return await run(["verify", MINT, "--rpc-url", node.url.href, ...flags]);
}

const result = (value: unknown) => () => Response.json({ jsonrpc: "2.0", id: 1, result: value });

test("verify needs a node, and a mint's address", async () => {
  // Nothing listens on port 1, so no sandbox on this machine answers.
  const { stderr, exitCode } = await run(["verify", MINT, "--api-url", "http://127.0.0.1:1"]);
  expect(stderr).toStartWith("error: There is no node to ask\nhint: Give a Solana node's address");
  expect(exitCode).toBe(2);
  expect((await run(["verify", "mint!", "--rpc-url", "http://127.0.0.1"])).exitCode).toBe(2);
  expect((await run(["verify", MINT, "--rpc-url", "ftp://x"])).stderr).toContain(
    "error: --rpc-url is neither http nor https",
  );
});

test("verify says in a sentence that a sandbox's tokens are on no cluster", async () => {
  await using server = await startTestServer();
  const { stderr, exitCode } = await run(["verify", MINT, "--api-url", server.url]);
  expect({ stderr: stderr.split("\n")[0], exitCode }).toEqual({
    stderr: `error: ${server.url} is a sandbox, whose tokens are on no cluster: there is nothing to verify`,
    exitCode: 2,
  });
  const signer = keypairSigner(generateSecretKey());
  const client = new TokenctlClient({ apiUrl: server.url, signer });
  const { eventId } = await client.launch({ name: "Sandy", ticker: "SANDY" });
  const { tokenMint } = await client.waitForLaunch(eventId);
  const own = await run(["verify", String(tokenMint), "--rpc-url", `${server.url}/dev/rpc`]);
  expect(own.stdout).toMatch(
    / {2}unknown: no bonding curve .*: this node is a sandbox.s, whose tokens are on no cluster/,
  );
});

test("verify fails for an address that is no token, and names what it is", async () => {
  const account = { lamports: 1, owner: MINT, data: ["", "base64"] };
  const { stdout, stderr, exitCode } = await against(result({ value: [account, null] }));
  expect(exitCode).toBe(1);
  expect(stderr).toStartWith("error: Does not pass: 1 wrong (Token)\n");
  expect(stdout).toContain(`Token  wrong: an account of program ${MINT}, not a mint`);
});

test("verify prints no character of a hostile node unescaped", async () => {
  const hostile = "x\u001b]0;PWNED\u0007\u202e\u200b\r\nFORGED";
  const account = { lamports: 1, owner: hostile, data: [hostile, hostile] };
  const answers = [
    result({ value: [account, account] }),
    () => Response.json({ jsonrpc: "2.0", id: 1, error: { code: 1, message: hostile } }),
  ];
  for (const answer of answers) {
    for (const flags of [[], ["--json"]]) {
      const { stdout, stderr } = await against(answer, ...flags);
      expect(stdout + stderr).toMatch(/\\u(?:\{202e\}|202e)/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal must not get.
      expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e\u200b\r]|^FORGED/m);
    }
  }
});

test.each<[string, () => Response]>([
  ["refuses", () => new Response("no", { status: 403 })],
  ["answers something else", result({ value: 7 })],
  ["answers too much", () => new Response("x".repeat(9 * 1024 * 1024))],
])("verify ends with 6 and an advice if the node %s", async (_, answer) => {
  const { stderr, exitCode } = await against(answer);
  expect(exitCode).toBe(6);
  expect(stderr).toContain("hint: Check --rpc-url, or try another node");
});
