import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { PublicKey } from "@solana/web3.js";
import { writeMeteoraGenesis } from "../../server/src/launchpad/meteora/genesis.ts";
import {
  describeMeteora,
  meteoraBinaries,
} from "../../server/src/launchpad/meteora/testing/programs.ts";
import { programsFolder } from "../../server/src/localnet/programs.ts";
import { installPrograms } from "../support/install-programs.ts";
import { startTestNode } from "../support/node.ts";
import { ROOT, run, startLocalnet, startTokend, tempFolder } from "../support/processes.ts";
import { snippetsIn } from "../support/snippets.ts";

setDefaultTimeout(300_000);

const page = ["operating.md", "postgresql.md"]
  .map((file) => readFileSync(join(ROOT, "docs", file), "utf8"))
  .join("\n");
const blocks = snippetsIn(page).flatMap(({ language, code }) => (language === "sh" ? [code] : []));

/** @returns the block that begins with these words */
function block(start: string): string {
  const found = blocks.find((code) => code.startsWith(start));
  if (found === undefined) throw new Error(`no block begins with ${start}`);
  return found;
}

const RUN = ["tokend keygen", "tokend revenue", "DATA_DIR=/var/lib/tokend tokend backup", "(umask"];
const REHEARSED = ["rehearse()"];
/** Other tests show these, or they need another machine. */
const ELSEWHERE = [
  "pg_dump", // test/e2e/postgres-backup.test.ts
  "DATA_DIR=/var/lib/tokend PGPASSWORD", // test/e2e/migrate.test.ts
  "install ", // systemd; test/ops/systemd.test.ts
  "tokend localnet pull", // a cluster on the internet
];

test("each block of the operator's pages runs in a test", () => {
  const known = [...RUN, ...REHEARSED, ...ELSEWHERE];
  expect(blocks.filter((code) => !known.some((start) => code.startsWith(start)))).toEqual([]);
});

const programs = tempFolder();
const tokend = join(programs.path, "tokend");
beforeAll(() => installPrograms(programs.path));
afterAll(() => programs[Symbol.dispose]());

describeMeteora("the operator's commands", () => {
  test("set a server up, steer it, read its revenue and back it up, as printed", async () => {
    using folder = tempFolder();
    await using node = startTestNode(meteoraBinaries);
    await writeMeteoraGenesis(node.chain);
    const env: Record<string, string> = {
      PATH: `${programs.path}:${process.env.PATH}`,
      PORT: "0",
      CHAIN: "solana",
      RPC_URL: node.url,
      LAUNCH_KEYPAIR: "launch.json",
      DATA_DIR: join(folder.path, "data"),
      MAX_DAILY_SPEND_SOL: "1",
      PUBLIC_URL: "https://tokens.example",
    };
    const follow = async (script: string) => {
      const { exitCode, stdout, stderr } = await run(["sh", "-euc", script], folder.path, env);
      if (exitCode !== 0) throw new Error(`${exitCode} after ${script}\n${stdout}${stderr}`);
      return stdout;
    };
    const [keygen = "", dryRun = "", configCreate = "", doctor = "", serve = ""] =
      block("tokend keygen").split("\n");
    node.chain.airdrop(new PublicKey(baseIn(await follow(keygen))), 1_000_000_000n);
    await follow(dryRun);
    expect(node.methods).not.toContain("sendTransaction");
    env.DBC_CONFIG = baseIn(await follow(configCreate));
    await follow(doctor);
    expect(await follow("tokend config show")).toContain("1 %: agent 0.8 %, partner 0 %, Meteora 0.2 %");
    const [, ...args] = serve.replace(/ +#.*/, "").split(" ");
    await using server = await startTokend([tokend, ...args], folder.path, env);
    expect(server.output()).not.toContain('"level":50');

    const inline = [...page.matchAll(/`(tokend (?:admin|metadata|licenses)[^`<…]*)`/g)];
    const steering = inline.map(([, code = ""]) => code.replaceAll(/\s+/g, " "));
    expect(steering.length).toBeGreaterThan(8);
    for (const code of new Set(steering)) {
      // One command may have resumed what another one resumes.
      if (code.includes("resume")) await follow("tokend admin pause launches --reason new || true");
      if (!/^tokend admin(?: cancel)?$/.test(code)) await follow(code);
    }
    await follow(block("tokend revenue"));

    mkdirSync(join(folder.path, "backup"));
    const backup = block("DATA_DIR=/var/lib/tokend tokend backup");
    await follow(
      backup
        .replaceAll("/var/lib/tokend", env.DATA_DIR ?? "")
        .replaceAll("/backup", `${folder.path}/backup`),
    );
    await follow(block("(umask"));
    expect(statSync(join(folder.path, "mint.secret"))).toMatchObject({ size: 65, mode: 0o100600 });
  });

  test("rehearse a change of the cluster on a local chain", async () => {
    using folder = tempFolder();
    await using localnet = await startLocalnet(tokend, folder.path, programsFolder(process.env));
    const script = block("rehearse()").replace("http://127.0.0.1:8899", localnet.url);
    const { exitCode, stdout } = await run(["sh", "-euc", script], folder.path);
    expect({ exitCode, failed: stdout.includes('"error"') }).toEqual({
      exitCode: 0,
      failed: false,
    });
    expect(stdout.match(/"result"/g)).toHaveLength(3);
  });
});

/** @returns the first address in a text */
function baseIn(text: string): string {
  return /\b[1-9A-HJ-NP-Za-km-z]{32,44}\b/.exec(text)?.[0] ?? "";
}
