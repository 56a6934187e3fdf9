import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { Journal } from "./testing/journal.ts";
import { insist, never, order, SOL, testLaunchpad } from "./testing/test-launchpad.ts";

function withNewWallet({ chain, restart }: ReturnType<typeof testLaunchpad>) {
  const wallet = Keypair.generate();
  chain.airdrop(wallet.publicKey, 100n * SOL);
  return restart(wallet);
}

test.each(["launch.signed", "launch.stored", "launch.sent"] as const)(
  "a launch that stopped at %s under the old wallet makes one token under the new one",
  async (step) => {
    let kills = 1;
    const old = testLaunchpad({
      crashPoint: (name) => {
        if (name === step && kills-- > 0) throw new Error("the server was killed");
      },
    });
    const launch = order();
    const journal = new Journal();
    await expect(old.launchpad.deploy(launch, journal, never)).rejects.toThrow("killed");
    expect(journal.attempts).toHaveLength(step === "launch.signed" ? 0 : 1);
    const { value } = await insist(() => withNewWallet(old).deploy(launch, journal, never));
    expect(old.mints()).toBe(1);
    expect(value.tokenMint).toBe(old.program.addresses(launch.eventId).tokenMint);
  },
);

test("a launch that the old wallet cannot pay is paid by the new one", async () => {
  const old = testLaunchpad({ funds: 0n });
  const launch = order();
  const journal = new Journal();
  await expect(old.launchpad.deploy(launch, journal, never)).rejects.toThrow("launch wallet");
  await withNewWallet(old).deploy(launch, journal, never);
  expect(old.mints()).toBe(1);
});
