import { expect, setDefaultTimeout, test } from "bun:test";
import { PublicKey } from "@solana/web3.js";
import { LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";
import bs58 from "bs58";
import { signGuarded } from "../../../../test/support/assertions.ts";
import { systemClock } from "../../base/clock.ts";
import { LocalChain } from "../../localnet/chain.ts";
import { SOL } from "../chain/testing/test-launchpad.ts";
import { openCluster } from "../meteora/testing/cluster.ts";
import { openLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, meteoraBinaries, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { tradedAfterMigration } from "../meteora/testing/token-life.ts";
import { launchpadOn, signBy, stepTwo } from "./testing/steps.ts";

setDefaultTimeout(ON_CHAIN_MS);

const MEMO = new PublicKey("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");

/** The memo program at Lighthouse's address: as that, it changes nothing, and fails or not. */
function standIn() {
  const chain = LocalChain.open({ ledgerPath: ":memory:", clock: systemClock });
  const bytes = chain.getAccount(MEMO)?.data;
  chain.close();
  if (!bytes) throw new Error("the chain has no memo program");
  return { programId: new PublicKey(LIGHTHOUSE_PROGRAM), bytes };
}

describeMeteora("a claim to which the wallet added assertions", () => {
  test("pays both kinds of fees, and each is recorded", async () => {
    const cluster = await openCluster({ programs: [...meteoraBinaries, standIn()] });
    const meteora = await openLaunchpad(cluster);
    const { chain } = cluster;
    const launchpad = launchpadOn(meteora);
    const { token, agent } = await tradedAfterMigration(meteora, cluster.wallet(5_000n * SOL));
    const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), [token.ref]);
    if (!claim) throw new Error("there is something to claim");
    const transaction = signGuarded(claim.transaction, agent);
    const signature = bs58.encode(transaction.subarray(1, 65));
    const signed = { ...signBy(agent, claim), transaction, signature };
    const { paidLamports, payouts } = await stepTwo(launchpad, signed);
    const [{ bondingCurve = 0n, liquidityPool = 0n } = {}] = payouts ?? [];
    expect(bondingCurve).toBeGreaterThan(0n);
    expect(liquidityPool).toBeGreaterThan(0n);
    expect(bondingCurve + liquidityPool).toBe(paidLamports);
    const landed = chain.getTransaction(signature);
    expect(Buffer.from(landed?.bytes ?? [])).toEqual(Buffer.from(transaction));
  });
});
