import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection, Keypair } from "@solana/web3.js";
import type { ChainTerms } from "./chain.ts";
import { runLocalnet } from "./serve-rpc.ts";
import { SlotClock } from "./testing/local-chain.ts";

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "localnet-"));
  lines = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

const clock = new SlotClock();

function start(
  terms: ChainTerms = {},
  { hostname = "127.0.0.1", port = 0, ledger = "new/ledger.db" } = {},
) {
  return runLocalnet({
    clock,
    terms,
    hostname,
    port,
    ledgerPath: join(folder, ledger),
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

  test("rehearses other slots, other rents and halts, at its start and while it runs", async () => {
    const served = await start({ slotMs: 200, rentPerByte: 696n });
    const connection = new Connection(served.url, "confirmed");
    const rehearse = async (...params: unknown[]) => {
      const answer = await fetch(served.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "rehearse", params }),
      });
      return (await answer.json()) as { result?: object; error?: { message: string } };
    };
    const heightsIn = async (milliseconds: number) => {
      const before = await connection.getBlockHeight();
      clock.advance(milliseconds);
      return (await connection.getBlockHeight()) - before;
    };
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(203_928);
    expect(await heightsIn(2_000)).toBe(10);

    await rehearse({ rentPerByte: 5_080, slotMs: 350 });
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(1_488_440);
    expect(await heightsIn(7_000)).toBeWithin(19, 22);

    await rehearse({ halt: "transactions" });
    const wallet = Keypair.generate().publicKey;
    await connection.requestAirdrop(wallet, 5_000_000_000);
    expect(await connection.getBalance(wallet)).toBe(0);
    expect(await heightsIn(3_500)).toBe(10);
    await rehearse({ halt: "blocks" });
    expect(await heightsIn(60_000)).toBe(0);
    await rehearse({ halt: null });
    await connection.requestAirdrop(wallet, 5_000_000_000);
    expect(await connection.getBalance(wallet)).toBe(5_000_000_000);

    const wrong = await Promise.all([{ halt: "all" }, { slotMs: 0 }].map((term) => rehearse(term)));
    expect(wrong.map(({ error }) => error?.message)).toEqual([
      "Invalid params: halt must be transactions, blocks or null.",
      "Invalid params: slotMs must be from 1 to 3600000.",
    ]);
    await served.stop();
  });

  test("warns of a host that other machines reach, and answers there to any name", async () => {
    const [own, all] = [await start(), await start({}, { hostname: "0.0.0.0", ledger: "all.db" })];
    const warning = "Other machines can reach 0.0.0.0: each of them can mint SOL and send anything";
    expect(lines.filter((line) => line.startsWith("Other machines"))).toEqual([warning]);
    // A second loopback address stands for this machine's network addresses.
    const ask = (url: string, body: string, type = "application/json") => {
      const { port } = new URL(url);
      const headers = { "content-type": type, host: "chain.example" };
      return fetch(`http://127.0.0.2:${port}`, { method: "POST", body, headers });
    };
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getHealth" });
    await expect(ask(own.url, call)).rejects.toThrow();
    expect(await (await ask(all.url, call)).json()).toMatchObject({ result: "ok" });
    // A web page may send this type without permission.
    expect((await ask(all.url, call, "text/plain")).status).toBe(415);
    await Promise.all([own.stop(), all.stop()]);
  });

  test("releases the ledger when it cannot start", async () => {
    const first = await start();
    const port = Number(new URL(first.url).port);
    await expect(start({}, { port, ledger: "other.db" })).rejects.toThrow();
    const again = await start({}, { ledger: "other.db" });
    await Promise.all([first.stop(), again.stop()]);
  });
});
