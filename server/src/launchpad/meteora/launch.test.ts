import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { deriveMintMetadata } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { getTokenMetadata } from "@solana/spl-token";
import { launchCost } from "./create-config.ts";
import { mintKeypair } from "./launch.ts";
import { KINDS, openCluster } from "./testing/cluster.ts";
import { launch, openLaunchpad, programFor, SOL, type TestLaunchpad } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { meteoraClients } from "./testing/sdk.ts";
import { send } from "./testing/send.ts";

setDefaultTimeout(ON_CHAIN_MS);

test("the same secret and event always make the same mint, and others another", () => {
  const secret = new Uint8Array(32).fill(7);
  const eventId = "1d4f1a5e-6c0b-4c8e-9a55-0f6f3f3b7a11";
  const mintOf = (...of: Parameters<typeof mintKeypair>) => mintKeypair(...of).publicKey.toBase58();
  const mint = "9QxkEeZCdp6jdM2hKUJojaz8dQ4YuZDuCSBZu4Uo1rsS";
  expect(mintOf(secret, eventId)).toBe(mint);
  expect(mintOf(secret, "1d4f1a5e-6c0b-4c8e-9a55-0f6f3f3b7a12")).not.toBe(mint);
  expect(mintOf(new Uint8Array(32).fill(8), eventId)).not.toBe(mint);
});

describeMeteora("launch", () => {
  describe.each(KINDS)("with $tokenStandard tokens and slots of $slotMs ms", (kind) => {
    const { tokenStandard, rentPerByte } = kind;
    const creationLamports = 20_000_000n;
    const isToken2022 = tokenStandard === "token-2022";
    let launchpad: TestLaunchpad;

    beforeAll(async () => {
      launchpad = await openLaunchpad(await openCluster(kind), { tokenStandard, creationLamports });
    });

    const newAgent = () => launchpad.cluster.wallet(SOL).publicKey;

    test("takes rent, network fee, creation fee and Metaplex's fee alone, as said before", async () => {
      const { chain } = launchpad.cluster;
      const before = chain.getBalance(launchpad.launchWallet.publicKey);
      const { ref, order } = await launch(launchpad, newAgent());
      const paid = before - chain.getBalance(launchpad.launchWallet.publicKey);
      const said = await launchpad.program.launch(order);
      expect(said.creationLamports).toBe(creationLamports + (isToken2022 ? 0n : 10_000_000n));
      expect(paid).toBe(said.rentBytes * rentPerByte + said.creationLamports + 10_000n);
      // An address of 44 characters is in the link.
      const shorter = isToken2022 ? BigInt(44 - ref.tokenMint.length) : 0n;
      const cost = launchCost({ tokenStandard, creationLamports }, { rentPerByte, fee: 10_000n });
      expect(paid).toBe(cost - shorter * rentPerByte);
    });

    test("works for the launch wallet itself", async () => {
      const { publicKey } = launchpad.launchWallet;
      const { pool } = await launch(launchpad, publicKey);
      const { state } = meteoraClients(launchpad.cluster.connection).curve;
      expect((await state.getPool(pool))?.poolState.creator).toEqual(publicKey);
    });

    const long = "Zażółć gęślą jaźń 👩‍👩‍👧‍👧";
    test.each([
      ["the shortened name", "Zażółć gęślą jaźń", { name: long }],
      ["the name that is chosen for the chain", "Zażółć", { name: long, onChainName: "Zażółć" }],
    ])("writes %s, the ticker and the document's address", async (_, onChain, names) => {
      const token = await launch(launchpad, newAgent(), { ...names, ticker: "ZAZOLC" });
      const { connection } = launchpad.cluster;
      const uri = `https://tokens.example/metadata/${token.ref.tokenMint}.json`;
      if (isToken2022) {
        expect(await getTokenMetadata(connection, token.mint)).toMatchObject({
          name: onChain,
          symbol: "ZAZOLC",
          uri,
          additionalMetadata: [],
        });
        return;
      }
      const account = await connection.getAccountInfo(deriveMintMetadata(token.mint));
      const text = account?.data.toString("utf8") ?? "";
      expect(text).toContain(`${onChain}\0`);
      expect(text).toContain("ZAZOLC\0");
      expect(text).toContain(`${uri}\0`);
    });

    test("fits into a legacy transaction with a compute budget, even the longest", async () => {
      const { cluster, launchWallet, config } = launchpad;
      const publicUrl = `https://${"a".repeat(133)}/`;
      const program = programFor(cluster, launchWallet, config, publicUrl);
      expect(await program.checkConfig()).toBeNull();
      const about = { name: "n".repeat(255), ticker: "T".repeat(10) };
      const token = await launch({ ...launchpad, program }, newAgent(), about);

      const landed = cluster.chain.getTransaction(token.signature);
      expect(landed?.bytes.length).toBeLessThanOrEqual(1_232 - 60);
      // A signature count, two signatures, then the message; its first bit is 0 if it is legacy.
      expect(landed?.bytes[1 + 2 * 64]).toBeLessThan(128);
    });

    test("lands once, whatever the name and the config of a second attempt", async () => {
      const token = await launch(launchpad, newAgent());
      const other = await openLaunchpad(launchpad.cluster, { tokenStandard });
      expect(other.program.addresses(token.order.eventId)).toEqual({
        tokenMint: token.ref.tokenMint,
        poolAddress: expect.not.stringMatching(token.ref.poolAddress),
      });
      for (const { program, launchWallet } of [launchpad, other]) {
        const { instructions, signers } = await program.launch({ ...token.order, name: "Again" });
        const again = send(launchpad.cluster.connection, instructions, [launchWallet, ...signers]);
        await expect(again).rejects.toThrow("custom program error: 0x0");
      }
    });
  });
});
