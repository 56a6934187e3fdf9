import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import nacl from "tweetnacl";
import { ROOT, run } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(60_000);

const python = Bun.which("python3");
const folder = join(ROOT, "examples", "python");
/** It writes no compiled files into the repository. */
const OPTIONS = ["-B", "-W", "error"];

test.skipIf(python === null)(
  "the agent in Python signs in, launches, waits and claims",
  async () => {
    await using server = await startTestServer();
    const agent = [python ?? "", ...OPTIONS, join(folder, "agent.py")];
    const lived = await run(agent, ROOT, { TOKENCTL_API_URL: server.url });
    expect(lived.stderr).toBe("");
    expect(lived.exitCode).toBe(0);
    expect(lived.stdout).toMatch(
      /^I am [1-9A-HJ-NP-Za-km-z]{32,44}\nPY\w{6} trades: mint .*\nClaimable: 0\.\d+ SOL\nClaimed 0\.\d+ SOL: \w{64,88}\n$/,
    );
  },
);

test.skipIf(python === null)("the signer in Python makes the signatures of Ed25519", async () => {
  const seeds = Array.from({ length: 20 }, (_, index) => new Uint8Array(32).fill(index * 11));
  const code = `
import ed25519, sys
for line in sys.argv[1:]:
    seed = bytes.fromhex(line)
    print(ed25519.public_key(seed).hex(), ed25519.sign(seed, seed + b"text").hex())
`;
  const hex = seeds.map((seed) => Buffer.from(seed).toString("hex"));
  const { stdout } = await run([python ?? "", ...OPTIONS, "-c", code, ...hex], folder);
  const expected = seeds.map((seed) => {
    const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed);
    const data = Buffer.concat([seed, Buffer.from("text")]);
    const signature = nacl.sign.detached(data, secretKey);
    return `${Buffer.from(publicKey).toString("hex")} ${Buffer.from(signature).toString("hex")}\n`;
  });
  expect(stdout).toBe(expected.join(""));
});
