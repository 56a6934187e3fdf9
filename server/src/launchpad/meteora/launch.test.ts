import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { deriveMintMetadata } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { getMint } from "@solana/spl-token";
import type { PublicKey } from "@solana/web3.js";
import { meteoraClients } from "./testing/clients.ts";
import { openCluster } from "./testing/cluster.ts";
import { launch, openLaunchpad, programFor, SOL, type TestLaunchpad } from "./testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { send } from "./testing/send.ts";

setDefaultTimeout(ON_CHAIN_MS);

describeMeteora("launch", () => {
  let launchpad: TestLaunchpad;

  beforeAll(async () => {
    launchpad = await openLaunchpad(await openCluster());
  });

  const newAgent = () => launchpad.cluster.wallet(SOL).publicKey;

  async function creatorOf(pool: PublicKey): Promise<string | undefined> {
    const client = meteoraClients(launchpad.cluster.connection).curve;
    return (await client.state.getPool(pool))?.poolState.creator.toBase58();
  }

  test("creates the mint and a pool of the agent's in one transaction", async () => {
    const agent = newAgent();
    const token = await launch(launchpad, agent);
    expect(await creatorOf(token.pool)).toBe(agent.toBase58());
    expect(await getMint(launchpad.cluster.connection, token.mint)).toMatchObject({
      supply: 1_000_000_000_000_000n,
      decimals: 6,
      mintAuthority: null,
      freezeAuthority: null,
    });
  });

  test("works for the launch wallet itself", async () => {
    const { publicKey } = launchpad.launchWallet;
    const token = await launch(launchpad, publicKey);
    expect(await creatorOf(token.pool)).toBe(publicKey.toBase58());
  });

  test("writes the shortened name, the ticker and the document's address", async () => {
    const token = await launch(launchpad, newAgent(), {
      name: "Zażółć gęślą jaźń 👩‍👩‍👧‍👧",
      ticker: "ZAZOLC",
    });
    const { connection } = launchpad.cluster;
    const account = await connection.getAccountInfo(deriveMintMetadata(token.mint));
    const text = account?.data.toString("utf8") ?? "";
    expect(text).toContain("Zażółć gęślą jaźń\0");
    expect(text).toContain("ZAZOLC\0");
    expect(text).toContain(`https://tokens.example/metadata/${token.ref.tokenMint}.json\0`);
  });

  test("fits into a legacy transaction with a compute budget, even the longest", async () => {
    const { cluster, launchWallet, config } = launchpad;
    const publicUrl = `https://${"a".repeat(133)}`;
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
    const other = await openLaunchpad(launchpad.cluster);
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
