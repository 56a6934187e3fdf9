import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";
import { formatSecretKey, generateSecretKey } from "@tokenctl/sdk";
import { writeMeteoraGenesis } from "../../server/src/launchpad/meteora/genesis.ts";
import {
  describeMeteora,
  meteoraBinaries,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { secretOf, signedHeaders } from "../../server/src/modules/webhooks/signature.ts";
import { startTestNode } from "../support/node.ts";
import { ROOT, run, startProcess, tempDir } from "../support/processes.ts";
import { installPrograms, SnippetRunner, snippetsIn } from "../support/snippets.ts";
import { startTestServer } from "../support/test-server.ts";

setDefaultTimeout(300_000);

const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

const programs = tempDir();
beforeAll(() => installPrograms(programs.path));
afterAll(() => programs[Symbol.dispose]());

/** Blocks of the README that other tests run: the installation (`test/release/`), the demo and the first server. */
const ELSEWHERE = /^(curl |npm install|tokend |export CHAIN)/;

const SKILL = [...new Bun.Glob("skills/**/*.md").scanSync(ROOT)].sort();

test.each(["README.md", "docs/agents.md", "docs/api.md", "docs/cli.md", "docs/mcp.md", ...SKILL])(
  "every command and snippet of %s runs as printed, one after another",
  async (page) => {
    // The table of all commands is written from them, with their arguments' names.
    const written = read(page).replace(/<!-- begin commands[\s\S]*?<!-- end -->/, "");
    const snippets = snippetsIn(written).filter(
      ({ language, code }) => language !== "" && !(page === "README.md" && ELSEWHERE.test(code)),
    );
    expect(snippets).not.toBeEmpty();
    // Who reads on from the README has the wallet, the launch and the token of its program.
    const isNext = page === "docs/agents.md";
    if (isNext)
      snippets.unshift(
        ...snippetsIn(read("README.md")).filter(({ language }) => language === "ts"),
      );
    await using server = await startTestServer();
    const folder = mkdtempSync(join(ROOT, "node_modules/.docs-"));
    await using runner = new SnippetRunner(folder, server.url);
    if (!snippets.some(({ code }) => code.includes("tokenctl keygen"))) {
      const key = formatSecretKey(generateSecretKey());
      for (const name of ["id.json", "agent.json"]) {
        writeFileSync(join(folder, name), key, { mode: 0o600 });
      }
    }
    copyFileSync(join(ROOT, "docs/console.png"), join(folder, "logo.png"));
    for (const snippet of snippets) await runner.run(snippet);
  },
);

test("the demo of the README goes from a new wallet to claimed fees", async () => {
  expect(read("README.md")).toContain("bun install --frozen-lockfile && bun run demo\n");
  const { exitCode, stdout } = await run([process.execPath, "run", "demo"], ROOT);
  expect(stdout).toMatch(/Claimed +0\.1.* SOL[\s\S]*Done in .* left nothing behind/);
  expect(exitCode).toBe(0);
});

test("the check of a webhook's signature in api.md accepts what the server signs, and nothing else", async () => {
  const code = snippetsIn(read("docs/api.md")).find(({ language }) => language === "ts")?.code;
  const file = join(programs.path, "is-signed.ts");
  writeFileSync(file, code ?? "");
  const { isSigned } = await import(file);
  const key = new Uint8Array(32).fill(7);
  const secret = secretOf(key);
  const now = Math.floor(Date.now() / 1000);
  const sign = (timestamp: number, by = key) =>
    new Headers(signedHeaders({ id: "1", timestamp, body: "{}" }, by));
  expect(isSigned(sign(now), "{}", secret)).toBe(true);
  expect(isSigned(sign(now), "{} ", secret)).toBe(false);
  expect(isSigned(sign(now - 301), "{}", secret)).toBe(false);
  expect(isSigned(sign(now, new Uint8Array(32)), "{}", secret)).toBe(false);
  expect(isSigned(new Headers(), "{}", secret)).toBe(false);
});

describeMeteora("the first server of the README", () => {
  test("starts on a cluster by the commands as printed, except that the cluster is a local one", async () => {
    const [making = "", serving = ""] = snippetsIn(read("README.md"))
      .map(({ code }) => code)
      .filter((code) => /^(tokend |export CHAIN)/.test(code));
    using folder = tempDir();
    await using node = startTestNode(meteoraBinaries);
    await writeMeteoraGenesis(node.chain);
    const env = { PATH: `${programs.path}:${process.env.PATH}`, PORT: "0" };
    const made = await run(["sh", "-euc", making], folder.path, env);
    const [address = ""] = /[1-9A-HJ-NP-Za-km-z]{32,44}/.exec(made.stdout) ?? [];
    node.chain.airdrop(new PublicKey(address), 1_000_000_000n);
    expect(serving).toContain("https://api.devnet.solana.com");
    const script = serving
      .replace("https://api.devnet.solana.com", node.url)
      .replace(/^tokend(?= +#)/m, "exec tokend");
    await using server = await startProcess(["sh", "-euc", script], {
      cwd: folder.path,
      env,
      ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
    });
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({
      db: "connected",
      network: "localnet",
    });
    expect(server.output()).not.toContain("FAIL");
  });
});
