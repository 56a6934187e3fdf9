import { expect, test } from "bun:test";
import { versionOneTransfer } from "../../localnet/testing/version-1.ts";
import { ChainUnavailableError } from "../errors.ts";
import { walletHistory } from "./read-wallet-history.ts";
import { SOL, testLaunchpad } from "./testing/test-launchpad.ts";

function setUp() {
  const { chain, clock, connection, wallet, rpc } = testLaunchpad();
  const pay = () => chain.airdrop(wallet.publicKey, SOL);
  const pass = () => clock.advance(10_000);
  return {
    chain,
    wallet,
    rpc,
    pay,
    pass,
    history: walletHistory(connection, wallet.publicKey, () => true),
  };
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

test("launches are known in transactions of version 1, and a later version is no reason to stop", async () => {
  const { chain, wallet, rpc, history } = setUp();
  const { blockhash } = chain.latestBlockhash();
  const transaction = await versionOneTransfer(wallet, blockhash, { lamports: 1_000_000 });
  const signature = chain.sendTransaction(transaction);
  expect(await history.isLaunch(signature)).toBe(true);
  const error = { code: -32015, message: "Transaction version (2) is not supported" };
  rpc.rewrite("getTransaction", () => ({ error }));
  expect(await history.isLaunch(signature)).toBeNull();
});

test("a node that is behind the place is not believed", async () => {
  const { history } = setUp();
  const { signature, slot } = await history.newest();
  const read = history.since({ signature, slot: slot + 100 });
  await expect(read).rejects.toBeInstanceOf(ChainUnavailableError);
});
