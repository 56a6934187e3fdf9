import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Connection, Keypair } from "@solana/web3.js";
import { writeMeteoraGenesis } from "../launchpad/meteora/genesis.ts";
import { describeMeteora } from "../launchpad/meteora/testing/programs.ts";
import { programsFolder } from "../localnet/programs.ts";
import { openTestChain } from "../localnet/testing/local-chain.ts";
import { startLocalnet, writeAccounts } from "./localnet.ts";

describeMeteora("localnet accounts", () => {
  test("writes the accounts that Meteora has on the embedded chain, as its RPC answers them", async () => {
    const folder = mkdtempSync(join(tmpdir(), "accounts-"));
    const args = await writeAccounts(folder, programsFolder(process.env));
    expect(args).toEqual([
      `--account-dir ${folder}`,
      ...[1, 2, 3].map(() => expect.stringMatching(/^--bpf-program \w+ \S+\.so$/)),
    ]);
    const { chain, rpc } = openTestChain();
    await writeMeteoraGenesis(chain);
    const files = readdirSync(folder);
    expect(files).toHaveLength(9);
    for (const file of files) {
      const { pubkey, account } = JSON.parse(readFileSync(join(folder, file), "utf8"));
      expect(file).toBe(`${pubkey}.json`);
      const { result } = await rpc("getAccountInfo", pubkey, { encoding: "base64" });
      expect(result.value).toEqual(account);
    }
    rmSync(folder, { recursive: true });
  });
});

let folder: string;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "localnet-"));
  lines = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

function start({ host = "127.0.0.1", port = 0, ledger = "new/ledger" } = {}) {
  const paths = { ledger: join(folder, ledger), programs: join(folder, "programs") };
  return startLocalnet({ host, port, ...paths }, (line) => lines.push(line));
}

describe("localnet", () => {
  test("prints its URL and the missing programs, and continues a ledger that exists", async () => {
    const wallet = Keypair.generate().publicKey;
    const first = await start();
    await new Connection(first.url, "confirmed").requestAirdrop(wallet, 5_000_000_000);
    await first.stop();
    expect(lines).toEqual([
      `JSON-RPC on ${first.url}`,
      `missing in ${join(folder, "programs")}: dynamic_bonding_curve.so, cp_amm.so, metaplex.so`,
      "get them with: tokend localnet pull --rpc <URL of a cluster>",
    ]);
    const second = await start();
    expect(await new Connection(second.url, "confirmed").getBalance(wallet)).toBe(5_000_000_000);
    await second.stop();
  });

  test("warns of a host that other machines reach, and answers there to any name", async () => {
    const [own, all] = [await start(), await start({ host: "0.0.0.0", ledger: "all" })];
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
    await expect(start({ port, ledger: "other" })).rejects.toThrow();
    const again = await start({ ledger: "other" });
    await Promise.all([first.stop(), again.stop()]);
  });
});
