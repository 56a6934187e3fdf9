import { expect, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import { localProgram } from "../local/local-program.ts";
import { chainLaunchpad } from "./chain-launchpad.ts";
import { memorySpendBook } from "./testing/memory-spend-book.ts";
import {
  insist,
  Journal,
  never,
  order,
  SOL,
  testLaunchpad,
  WIDE_LIMITS,
} from "./testing/test-launchpad.ts";

/** A launchpad that goes on where another one was, but pays with a new wallet. */
function withNewWallet({
  chain,
  clock,
  connection,
  secret,
  pause,
}: ReturnType<typeof testLaunchpad>) {
  const wallet = Keypair.generate();
  chain.airdrop(wallet.publicKey, 100n * SOL);
  return chainLaunchpad({
    connection,
    wallet,
    program: localProgram({
      connection,
      launchWallet: wallet.publicKey,
      secret,
      rentExemption: (bytes) => chain.rentExemption(bytes),
    }),
    clock,
    spendBook: memorySpendBook(),
    limits: WIDE_LIMITS,
    confirmer: { pause },
  });
}

test.each(["launch.signed", "launch.stored", "launch.sent"] as const)(
  "a launch that stopped at %s under the old wallet makes one token under the new one",
  async (step) => {
    const former = testLaunchpad({
      checkpoint: (name) => {
        if (name === step) throw new Error("the server was killed");
      },
    });
    const launch = order();
    const journal = new Journal();
    await expect(former.launchpad.deploy(launch, journal, never)).rejects.toThrow("killed");
    expect(journal.attempts).toHaveLength(step === "launch.signed" ? 0 : 1);
    const { value } = await insist(() => withNewWallet(former).deploy(launch, journal, never));
    expect(former.mints()).toBe(1);
    expect(value.tokenMint).toBe(former.program.addresses(launch.eventId).tokenMint);
  },
);

test("a launch that the old wallet cannot pay is paid by the new one", async () => {
  const former = testLaunchpad({ funds: 0n });
  const launch = order();
  const journal = new Journal();
  await expect(former.launchpad.deploy(launch, journal, never)).rejects.toThrow("launch wallet");
  await withNewWallet(former).deploy(launch, journal, never);
  expect(former.mints()).toBe(1);
});
