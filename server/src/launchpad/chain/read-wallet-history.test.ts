import { expect, test } from "bun:test";
import { ChainUnavailableError } from "../errors.ts";
import { walletHistory } from "./read-wallet-history.ts";
import { SOL, testLaunchpad } from "./testing/test-launchpad.ts";

function setUp() {
  const { chain, clock, connection, wallet } = testLaunchpad();
  const pay = () => chain.airdrop(wallet.publicKey, SOL);
  /** Lets a few slots pass. */
  const pass = () => clock.advance(10_000);
  return { pay, pass, history: walletHistory(connection, wallet.publicKey, () => true) };
}

test("a wallet's history begins behind its place, oldest first", async () => {
  const { pay, pass, history } = setUp();
  pass();
  const place = await history.newest();
  const later = [pay(), pay()];
  pass();
  later.push(pay());
  const seen = await history.since(place);
  expect(seen.map(({ signature }) => signature)).toEqual(later);
});

test("a node that does not know the transaction at the place shows nothing that is older", async () => {
  const { pay, pass, history } = setUp();
  const { slot } = await history.newest();
  pass();
  const later = pay();
  const seen = await history.since({ signature: "1".repeat(64), slot: slot + 1 });
  expect(seen.map(({ signature }) => signature)).toEqual([later]);
});

test("a node that is behind the place is not believed", async () => {
  const { history } = setUp();
  const { signature, slot } = await history.newest();
  const read = history.since({ signature, slot: slot + 100 });
  await expect(read).rejects.toBeInstanceOf(ChainUnavailableError);
});
