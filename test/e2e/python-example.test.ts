import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import nacl from "tweetnacl";
import { cutPair, type Pair, startProxy } from "../../server/src/store/postgres/testing/proxy.ts";
import { findProgram } from "../../server/src/testing/find-program.ts";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { ROOT, run, tempDir } from "../support/processes.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const python = findProgram("python3");
const folder = join(ROOT, "examples", "python");
const OPTIONS = ["-B", "-W", "error"];

test.concurrent.skipIf(python === null)(
  "the agent in Python signs in, launches, waits and claims, and pays for its launch with --pay",
  async () => {
    await using server = await startTestServer();
    const agent = [python ?? "", ...OPTIONS, join(folder, "agent.py")];
    for (const [flags, cost] of [
      [[], ""],
      [["--pay"], "The launch cost 0\\.0\\d+ SOL\\n"],
    ] as const) {
      const lived = await run([...agent, ...flags], ROOT, { TOKENCTL_API_URL: server.url });
      expect(lived.stderr).toBe("");
      expect(lived.exitCode).toBe(0);
      const launched = "I am [1-9A-HJ-NP-Za-km-z]{32,44}\\nPY\\w{6} trades: mint .*\\n";
      const claimed = "Claimable: 0\\.\\d+ SOL\\nClaimed 0\\.\\d+ SOL: \\w{64,88}\\n";
      expect(lived.stdout).toMatch(new RegExp(`^${launched}${cost}${claimed}$`));
    }
  },
);

test.concurrent.skipIf(python === null)(
  "the agent in Python sends a claim again if the connection breaks before the answer",
  async () => {
    const port = await heldPort();
    const cut = new Set<Pair>();
    await using proxy = await startProxy(port, {
      toServer(bytes, pair) {
        if (cut.size === 0 && bytes.includes("signedTransaction")) cut.add(pair);
        return bytes;
      },
      // It has been answered then.
      toClient(bytes, pair) {
        if (!cut.has(pair)) return bytes;
        cutPair(pair);
        return null;
      },
    });
    const url = `http://127.0.0.1:${proxy.port}`;
    await using _ = await startTestServer({ PORT: String(port), PUBLIC_URL: url });
    const agent = [python ?? "", ...OPTIONS, join(folder, "agent.py")];
    const lived = await run(agent, ROOT, { TOKENCTL_API_URL: url });
    expect(lived.exitCode).toBe(0);
    expect(lived.stderr).toMatch(/^POST \/api\/v1\/tokens\/claims\/\w+: .+; again in 2 s\n$/);
    expect(lived.stdout).toMatch(/\nClaimed 0\.\d+ SOL: \w{64,88}\n$/);
    expect(cut.size).toBe(1);
  },
);

test.concurrent.skipIf(python === null)(
  "the agent in Python uses no damaged keypair file, and says what is wrong in a line",
  async () => {
    using files = tempDir();
    const { secretKey } = nacl.sign.keyPair();
    const contents = {
      "short.json": JSON.stringify([...secretKey.slice(0, 32)]),
      "other-key.json": JSON.stringify([
        ...secretKey.slice(0, 63),
        ((secretKey[63] ?? 0) + 1) % 256,
      ]),
      "object.json": "{}",
      "no-json.json": "seed",
    };
    for (const [name, text] of Object.entries(contents))
      writeFileSync(join(files.path, name), text);
    const agent = [python ?? "", ...OPTIONS, join(folder, "agent.py")];
    const failures = [...Object.keys(contents), "missing.json"].map((name) =>
      run(agent, ROOT, { TOKENCTL_KEYPAIR: join(files.path, name) }),
    );
    failures.push(run(agent, ROOT, { TOKENCTL_API_URL: "localhost:8787" }));
    for (const { exitCode, stdout, stderr } of await Promise.all(failures)) {
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      expect(stderr).toMatch(/^(.*keypair file.*|TOKENCTL_API_URL is not .*)\n$/);
    }
  },
);

test.concurrent.skipIf(python === null)(
  "the agent in Python launches nothing with a wallet that is not kept, except on a sandbox, or with unknown flags",
  async () => {
    const asked: string[] = [];
    const fetch = ({ method, url }: Request) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      return Response.json({ ok: true, network: "devnet" });
    };
    await using devnet = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
    const agent = [python ?? "", ...OPTIONS, join(folder, "agent.py")];
    const env = { TOKENCTL_API_URL: devnet.url.href };
    const lost = await run(agent, ROOT, env);
    expect(lost).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("TOKENCTL_KEYPAIR"),
    });
    const helped = await run([...agent, "--help"], ROOT, env);
    expect(helped).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("--pay") });
    expect(asked).toEqual(["GET /health"]);
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
