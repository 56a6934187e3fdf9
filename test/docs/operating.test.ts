import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";
import { openTerminal } from "../../cli/src/testing/terminal.ts";
import { writeMeteoraGenesis } from "../../server/src/launchpad/meteora/genesis.ts";
import {
  describeMeteora,
  meteoraBinaries,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { startTestNode } from "../support/node.ts";
import { ROOT, run, startTokend, tempDir } from "../support/processes.ts";
import { installPrograms, snippetsIn } from "../support/snippets.ts";

setDefaultTimeout(300_000);

const page = readFileSync(join(ROOT, "docs/operating.md"), "utf8");
const blocksOf = (text: string) =>
  snippetsIn(text).flatMap(({ language, code }) => (language === "sh" ? [code] : []));

const programs = tempDir();
const tokend = join(programs.path, "tokend");
beforeAll(() => installPrograms(programs.path));
afterAll(() => programs[Symbol.dispose]());

test("the blocks of the page on PostgreSQL run in tests of their own", () => {
  const postgresql = readFileSync(join(ROOT, "docs/postgresql.md"), "utf8");
  const elsewhere = [
    "pg_dump", // test/e2e/shared-database.test.ts
    "DATA_DIR=/var/lib/tokend PGPASSWORD", // test/e2e/migrate.test.ts
  ];
  const others = blocksOf(postgresql).filter(
    (code) => !elsewhere.some((it) => code.startsWith(it)),
  );
  expect(others).toEqual([]);
});

describeMeteora("on a fresh folder", () => {
  test("each block of the operator's page runs as printed, one after the other", async () => {
    using folder = tempDir();
    await using stack = new AsyncDisposableStack();
    const node = stack.use(startTestNode(meteoraBinaries));
    await writeMeteoraGenesis(node.chain);
    const dataDir = join(folder.path, "data");
    const env: Record<string, string> = {
      PATH: `${programs.path}:${process.env.PATH}`,
      PORT: "0",
      CHAIN: "solana",
      RPC_URL: node.url,
      LAUNCH_KEYPAIR: "launch.json",
      DATA_DIR: dataDir,
      MAX_DAILY_SPEND_SOL: "1",
      PUBLIC_URL: "https://tokens.example",
    };
    const follow = async (script: string, cwd = folder.path) => {
      const { exitCode, stdout, stderr } = await run(["sh", "-euc", script], cwd, env);
      if (exitCode !== 0) throw new Error(`${exitCode} after ${script}\n${stdout}${stderr}`);
      return stdout;
    };

    async function setUp(block: string) {
      const [keygen = "", dryRun = "", create = "", doctor = "", serve = ""] = block.split("\n");
      const wallet = new PublicKey(baseIn(await follow(keygen)));
      await expect(follow(dryRun)).rejects.toThrow(
        `The launch wallet ${wallet} holds 0 SOL and needs about 0.00908584 SOL for a config: send SOL to it.`,
      );
      node.chain.airdrop(wallet, 1_000_000_000n);
      await follow(dryRun);
      const home = { HOME: folder.path };
      const asked = openTerminal([tokend, "config", "create"], 100, { ...env, ...home });
      await asked.shows("Make this config for");
      asked.type("n\r");
      expect((await asked.end()).exitCode).toBe(1);
      expect(node.rpc.calls).not.toContain("sendTransaction");
      env.DBC_CONFIG = baseIn(await follow(create));
      await follow(doctor);
      expect(await follow("tokend config show")).toMatch(/on the curve +1 +0\.8 +0 +0\.2\n/);
      const [, ...args] = serve.replace(/ +#.*/, "").split(" ");
      const server = stack.use(await startTokend([tokend, ...args], folder.path, env));
      expect(server.output()).not.toContain('"level":"error"');
      await steer();
    }

    async function steer() {
      const inline = [...page.matchAll(/`(tokend (?:admin|metadata|licenses)[^`<…]*)`/g)];
      const steering = inline.map(([, code = ""]) => code.replaceAll(/\s+/g, " "));
      expect(steering.length).toBeGreaterThan(8);
      for (const code of new Set(steering)) {
        // One command may have resumed what another one resumes.
        if (code.includes("resume"))
          await follow("tokend admin pause launches --reason new || true");
        if (!/^tokend admin(?: cancel)?$/.test(code)) await follow(code);
      }
    }

    /** A machine's folders are those of this folder, and no systemd runs here. */
    async function install(block: string) {
      const made = ["usr/local/bin", "etc/systemd/system"];
      for (const path of made) mkdirSync(join(folder.path, path), { recursive: true });
      const here = block
        .replaceAll(/(?<= )\/(usr|etc)\//g, `${folder.path}/$1/`)
        .replaceAll("dist/tokend", tokend)
        .replaceAll(" launch.json", ` ${folder.path}/launch.json`)
        .replaceAll(/^(systemctl|tokend-operator) .*$/gm, "");
      await follow(here, ROOT);
    }

    const steps: Record<string, (block: string) => Promise<unknown>> = {
      "tokend keygen": setUp,
      "tokend revenue": follow,
      "DATA_DIR=/var/lib/tokend tokend backup": (block) => {
        mkdirSync(join(folder.path, "backup"));
        const here = block.replaceAll("/var/lib/tokend", dataDir);
        return follow(here.replaceAll("/backup", `${folder.path}/backup`));
      },
      // test/e2e/shared-database.test.ts
      pg_dump: async () => {},
      "(umask": async (block) => {
        await follow(block);
        const secret = statSync(join(folder.path, "mint.secret"));
        expect(secret).toMatchObject({ size: 65, mode: 0o100600 });
      },
      "install ": install,
      // It reads a cluster on the internet.
      "tokend localnet pull": async () => {},
    };
    for (const block of blocksOf(page)) {
      const start = Object.keys(steps).find((words) => block.startsWith(words));
      expect([block, start]).toEqual([block, expect.any(String)]);
      await steps[start ?? ""]?.(block);
    }
  });
});

/** @returns the first address in a text */
function baseIn(text: string): string {
  return /\b[1-9A-HJ-NP-Za-km-z]{32,44}\b/.exec(text)?.[0] ?? "";
}
