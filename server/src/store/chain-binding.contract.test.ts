import { expect, test } from "bun:test";
import type { ChainBinding } from "./chain-binding.ts";
import { describeStore } from "./testing/contract.ts";

const BINDING: ChainBinding = {
  chain: "solana",
  launchWallet: "wallet",
  genesisHash: null,
  mintSecretFingerprint: "print",
  dbcConfig: "config",
};

describeStore("the chain's binding", (at) => {
  test("is made once, gets its config and wallet from the first server that has one, and every server reads the same", async () => {
    const { chainBinding } = at.store;
    expect(await chainBinding.read()).toBeNull();
    const moved = { ...BINDING, dbcConfig: null, launchWallet: null };
    expect(await chainBinding.bind(moved)).toEqual(moved);
    const other = await at.database.openAnother();
    expect(await other.chainBinding.bind(BINDING)).toEqual(BINDING);
    const later = { ...BINDING, dbcConfig: "later", launchWallet: "another" };
    expect(await chainBinding.bind(later)).toEqual(BINDING);
    expect(await chainBinding.bind(moved)).toEqual(BINDING);
    expect(await other.chainBinding.read()).toEqual(BINDING);
  });

  test("keeps the first genesis hash", async () => {
    const { chainBinding } = at.store;
    await chainBinding.bind(BINDING);
    expect(await chainBinding.bindGenesis("first")).toBe("first");
    expect(await chainBinding.bindGenesis("second")).toBe("first");
    expect(await chainBinding.read()).toEqual({ ...BINDING, genesisHash: "first" });
  });

  test("changes only in what it is told to change", async () => {
    const { chainBinding } = at.store;
    await chainBinding.bind({ ...BINDING, dbcConfig: null });
    await chainBinding.change({ launchWallet: "another" });
    expect(await chainBinding.read()).toMatchObject({ launchWallet: "another", dbcConfig: null });
    await chainBinding.change({ mintSecretFingerprint: "new", dbcConfig: "new" });
    expect(await chainBinding.read()).toEqual({
      ...BINDING,
      launchWallet: "another",
      mintSecretFingerprint: "new",
      dbcConfig: "new",
    });
  });
});
