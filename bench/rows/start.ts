import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compile, compileFiles } from "../../scripts/compile.ts";
import { heldPort } from "../../server/src/testing/held-port.ts";
import { tokend } from "../harness/contestants.ts";
import { atMost, ratio } from "../harness/figures.ts";
import { benchFolder, dataFolder } from "../harness/paths.ts";
import type { Row, RowContext, RowResult } from "../harness/row.ts";
import { median } from "../harness/statistics.ts";

/** How fast the programs start. */
export const start: Row = {
  id: "start",
  work: "start: compiled tokend to its first answer and to /health 200; --help of both programs",
  run,
};

const START_MS = 30_000;
const LIBRARIES = "the same with the libraries of the embedded chain loaded";

async function run({ scale, say }: RowContext): Promise<RowResult> {
  const folder = join(dataFolder, "bin");
  mkdirSync(folder, { recursive: true });
  say("compiling");
  await compile("tokend", join(folder, "tokend"));
  await compile("tokenctl", join(folder, "tokenctl"));
  for (const name of ["hello", "libraries", "empty"]) {
    await compileFiles([join(benchFolder, "peers", `${name}.ts`)], join(folder, name));
  }

  const dataDir = mkdtempSync(join(dataFolder, "start-"));
  const known = join(dataDir, "known");
  const tokendOn = (dir: string) => [join(folder, "tokend"), { DATA_DIR: dir }] as const;
  const cases = {
    "tokend, to its first answer of /health": () => untilAnswered(...tokendOn(known), isAnswered),
    "tokend, to /health 200": () => untilAnswered(...tokendOn(known)),
    "tokend, the first start on a new folder": () =>
      untilAnswered(...tokendOn(mkdtempSync(join(dataDir, "new-")))),
    "Bun.serve hello, to its first answer": () => untilAnswered(join(folder, "hello"), {}),
    [LIBRARIES]: () => untilAnswered(join(folder, "libraries"), {}),
    "tokend --help": () => untilEnded([join(folder, "tokend"), "--help"]),
    "tokenctl --help": () => untilEnded([join(folder, "tokenctl"), "--help"]),
    "an empty program": () => untilEnded([join(folder, "empty")]),
  };
  const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
  for (let round = -1; round < scale.rounds * 3; round++) {
    for (const [name, measure] of Object.entries(cases)) {
      const time = await measure();
      // The first run of each program reads it from the disk.
      if (round >= 0) times.get(name)?.push(time);
    }
  }
  rmSync(dataDir, { recursive: true, force: true });

  const medians = new Map([...times].map(([name, all]) => [name, median(all)]));
  const time = (name: keyof typeof cases) => medians.get(name) ?? Number.NaN;
  const hello = time("Bun.serve hello, to its first answer");
  const libraries = time(LIBRARIES);
  const empty = time("an empty program");
  return {
    goals: [
      atMost(time("tokend, to its first answer of /health") / hello, 5, "Bun.serve hello"),
      atMost(
        time("tokend, to /health 200") / libraries,
        2.5,
        "a hello that loads the chain's libraries",
      ),
      atMost(time("tokend --help") / empty, 2, "an empty program (tokend --help)"),
      atMost(time("tokenctl --help") / empty, 2, "an empty program (tokenctl --help)"),
    ],
    figures: {
      columns: ["", "ms"],
      lines: [...medians].map(([name, time]) => [name, time.toFixed(1)]),
    },
    notes: [
      "All are compiled the same way. The first answer is 503 `starting`: tokend listens before it loads the",
      "chain's libraries (@solana/web3.js, @solana/spl-token and LiteSVM), which alone take a hello to",
      `${ratio(libraries / hello)} ×.`,
    ],
  };
}

/** @returns milliseconds from starting a server to its first answer that is enough */
async function untilAnswered(
  program: string,
  env: Record<string, string>,
  isEnough: (port: number) => Promise<boolean> = isHealthy,
): Promise<number> {
  const port = await heldPort();
  const started = performance.now();
  const child = Bun.spawn([program], {
    env: { ...tokend.env, ...env, PORT: String(port) },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    while (performance.now() - started < START_MS && child.exitCode === null) {
      if (await isEnough(port)) return performance.now() - started;
      await Bun.sleep(1);
    }
    throw new Error(`${program} did not answer`);
  } finally {
    child.kill();
    await child.exited;
  }
}

const isHealthy = async (port: number) => (await statusOfHealth(port)) === 200;
const isAnswered = async (port: number) => (await statusOfHealth(port)) !== null;

/** @returns null if nothing answers */
async function statusOfHealth(port: number): Promise<number | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

/** @returns milliseconds that a program takes from its start to its end */
async function untilEnded(command: string[]): Promise<number> {
  const started = performance.now();
  const child = Bun.spawn(command, { env: {}, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
  return performance.now() - started;
}
