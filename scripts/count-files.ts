/**
 * Counts the files of `server/src/` that a launch and a claim pass through, for the table of docs/architecture.md:
 * `bun scripts/count-files.ts`. It makes thirteen and then one of each on Meteora's programs, in the same time, so
 * that polls and probes run as often, under `bun test --coverage`. A file counts if one of its lines has run at least twelve times more often.
 */
import { Database } from "bun:sqlite";
import { test } from "bun:test";
import { readFileSync } from "node:fs";
import { PublicKey, Transaction } from "@solana/web3.js";
import { dataFiles } from "../server/src/config/config.ts";
import { buy } from "../server/src/launchpad/meteora/testing/trades.ts";
import type { Agent } from "../test/support/agent.ts";
import { startMeteoraServer } from "../test/support/meteora-server.ts";
import { tempDir } from "../test/support/processes.ts";

const KINDS = ["launch", "paid launch", "claim"] as const;
type Kind = (typeof KINDS)[number];
type Making = [kind: Kind, count: number, milliseconds: number];

const MORE = 12;
/** Primitives, what puts the server together, and what happens beside a launch or after it. */
const NOT_COUNTED =
  /^(base|localnet|modules\/(events|webhooks|health)|store\/(events|watch|markets|webhooks?(-attempts)?))\b|^[^/]+$|\/testing\//;

const asked = process.env.COUNT_FILES;
if (asked !== undefined) test(asked, () => make(...(JSON.parse(asked) as Making)));
else for (const kind of KINDS) await report(kind);

async function report(kind: Kind): Promise<void> {
  const startedAt = performance.now();
  const many = await linesRun(kind, 1 + MORE, 0);
  const few = await linesRun(kind, 1, performance.now() - startedAt);
  const isPassed = (file: string, lines: ReadonlyMap<number, number>) =>
    [...lines].some(([line, times]) => times - (few.get(file)?.get(line) ?? 0) >= MORE);
  const files = [...many].filter(([file, lines]) => isPassed(file, lines)).map(([file]) => file);
  console.log(`a ${kind}: ${files.length}\n  ${files.sort().join("\n  ")}`);
}

/** How often each line of each file has run while this number was made. */
async function linesRun(...making: Making) {
  using folder = tempDir();
  const out = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder.path}`];
  const run = Bun.spawn(["bun", "test", "--timeout", "300000", ...out, import.meta.path], {
    env: { ...process.env, COUNT_FILES: JSON.stringify(making) },
    stdout: "ignore",
    stderr: "pipe",
  });
  if ((await run.exited) !== 0) throw new Error(await new Response(run.stderr).text());
  const files = new Map<string, Map<number, number>>();
  let lines = new Map<number, number>();
  for (const text of readFileSync(`${folder.path}/lcov.info`, "utf8").split("\n")) {
    const [, file] = /^SF:server\/src\/(.+)/.exec(text) ?? [];
    if (text.startsWith("SF:")) lines = new Map();
    if (file && !NOT_COUNTED.test(file)) files.set(file, lines);
    const [, line, times] = /^DA:(\d+),(\d+)/.exec(text) ?? [];
    if (line) lines.set(Number(line), Number(times));
  }
  return files;
}

async function make(...[kind, count, milliseconds]: Making): Promise<void> {
  const payer = kind === "paid launch" ? "agent" : "operator";
  await using server = await startMeteoraServer({ LAUNCH_PAYER: payer });
  // As many agents sign in however many launch.
  const agents: Agent[] = [];
  while (agents.length <= MORE) agents.push(await server.agent());
  const made = agents.slice(0, count);
  using database = new Database(dataFiles(server.dataDir).database, { readonly: true });
  /** Waits until this number of rows is stored, without asking the server. */
  const stored = async (sql: string, rows: number) => {
    while (Object.values(database.query(sql).get() as object)[0] !== rows) await Bun.sleep(50);
  };
  const launch = async (those: readonly Agent[]) => {
    for (const [index, agent] of those.entries()) {
      const { body } = await agent.launch({ ticker: `T${index}`, payer });
      const { eventId } = body as { eventId: string };
      if (payer === "agent") await sign(agent, `/api/v1/tokens/launch/${eventId}/transaction`);
    }
    await stored("select count(*) from launches where status = 'success'", those.length);
  };
  await launch(kind === "claim" ? agents : made);
  for (const agent of kind === "claim" ? agents : []) {
    const { token_mint: mint, pool_address: pool } = database
      .query("select token_mint, pool_address from tokens where wallet = ?")
      .get(agent.wallet) as { token_mint: string; pool_address: string };
    await buy(server.connection, { pool: new PublicKey(pool), trader: server.trader }, 10n ** 9n);
    if (made.includes(agent)) await sign(agent, `/api/v1/tokens/claims/${mint}`);
  }
  if (kind === "claim") await stored("select count(*) from payouts", count);
  await Bun.sleep(Math.max(0, milliseconds - performance.now()));
}

async function sign(agent: Agent, path: string): Promise<void> {
  const { body } = await agent.post(path);
  const { transaction } = body as { transaction: string };
  const unsigned = Transaction.from(Buffer.from(transaction, "base64"));
  unsigned.partialSign(agent.keypair);
  const signedTransaction = unsigned.serialize({ requireAllSignatures: false }).toString("base64");
  await agent.post(path, { signedTransaction });
}
