import { expect, test } from "bun:test";
import { createLog } from "../base/log.ts";
import { readConfig } from "../config/config.ts";
import { SOLANA_SETTINGS } from "../testing/solana-settings.ts";
import { tempStore } from "../testing/temp-store.ts";
import { bindDatabase, ownerOf } from "./owner.ts";

const CONFIG = readConfig({ ...SOLANA_SETTINGS, DATABASE_URL: "postgres://u:hush@h/t" });
const quiet = createLog("silent");
const OWNER = ownerOf(CONFIG, "wallet", Buffer.alloc(32, 1));

test("a start on a database that is bound writes nothing, and one on a binding without a config adds it", async () => {
  using temp = tempStore();
  const { chainBinding } = temp.store;
  let writes = 0;
  const counted = {
    read: () => chainBinding.read(),
    bind: (...args: Parameters<typeof chainBinding.bind>) => {
      writes += 1;
      return chainBinding.bind(...args);
    },
    change: () => Promise.reject(new Error("nothing was accepted")),
  };
  await chainBinding.bind({ ...OWNER, dbcConfig: null, genesisHash: null });

  await bindDatabase({ store: counted, log: quiet }, CONFIG, OWNER);
  expect(await chainBinding.read()).toEqual({ ...OWNER, genesisHash: null });
  expect(writes).toBe(1);
  await bindDatabase({ store: counted, log: quiet }, CONFIG, OWNER);
  expect(writes).toBe(1);
});

test("a wallet is bound once a server has one, and neither leaves nor changes unnoticed", async () => {
  using temp = tempStore();
  const { chainBinding } = temp.store;
  const without = { ...OWNER, launchWallet: null };
  for (const owner of [without, OWNER, without]) {
    await bindDatabase({ store: chainBinding, log: quiet }, CONFIG, owner);
  }
  expect(await chainBinding.read()).toMatchObject({ launchWallet: "wallet" });
  const other = { ...OWNER, launchWallet: "another" };
  expect(bindDatabase({ store: chainBinding, log: quiet }, CONFIG, other)).rejects.toThrow(
    "another",
  );
});
