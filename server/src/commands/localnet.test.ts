import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeMeteoraGenesis } from "../launchpad/meteora/genesis.ts";
import { describeMeteora } from "../launchpad/meteora/testing/programs.ts";
import { programsFolder } from "../localnet/programs.ts";
import { openTestChain } from "../localnet/testing/local-chain.ts";
import { writeAccounts } from "./localnet.ts";

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
