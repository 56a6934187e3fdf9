import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection, Keypair } from "@solana/web3.js";
import { ProgramFileError } from "./programs.ts";
import { runLocalnet } from "./run-localnet.ts";
import { runLocalnetPull } from "./run-localnet-pull.ts";
import { SlotClock } from "./testing/slot-clock.ts";

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "localnet-"));
  lines = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

const clock = new SlotClock();

function start() {
  return runLocalnet({
    clock,
    port: 0,
    ledgerPath: join(folder, "new/ledger.db"),
    programsFolder: join(folder, "programs"),
    print: (line) => lines.push(line),
  });
}

describe("runLocalnet", () => {
  test("prints its URL and the missing programs, and continues a ledger that exists", async () => {
    const wallet = Keypair.generate().publicKey;
    const first = await start();
    await new Connection(first.url, "confirmed").requestAirdrop(wallet, 5_000_000_000);
    await first.stop();
    expect(lines).toEqual([
      `JSON-RPC on ${first.url}`,
      `websocket on ${first.url.replace("http:", "ws:")}`,
      `missing in ${join(folder, "programs")}: dynamic_bonding_curve.so, cp_amm.so, metaplex.so`,
      "get them with: tokend localnet pull --rpc <URL of a cluster>",
    ]);
    const second = await start();
    expect(await new Connection(second.url, "confirmed").getBalance(wallet)).toBe(5_000_000_000);
    await second.stop();
  });

  test("releases the ledger when it cannot start", async () => {
    const first = await start();
    const port = Number(new URL(first.url).port);
    const taken = runLocalnet({
      clock,
      port,
      ledgerPath: join(folder, "other.db"),
      programsFolder: folder,
      print: () => {},
    });
    await expect(taken).rejects.toThrow();
    const again = await runLocalnet({
      clock,
      port: 0,
      ledgerPath: join(folder, "other.db"),
      programsFolder: folder,
      print: () => {},
    });
    await Promise.all([first.stop(), again.stop()]);
  });
});

describe("runLocalnetPull", () => {
  test("fails when the cluster does not have the programs", async () => {
    const served = await start();
    const target = join(folder, "pulled");
    const pull = runLocalnetPull({ rpcUrl: served.url, programsFolder: target, print: () => {} });
    await expect(pull).rejects.toThrow(ProgramFileError);
    await served.stop();
  });
});
