import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { systemClock } from "../../base/clock.ts";
import { sendAndConfirm } from "../../solana/send-and-confirm.ts";
import { configShortage } from "./config-cost.ts";
import { DEFAULT_CONFIG_TERMS } from "./config-terms.ts";
import { createConfig } from "./create-config.ts";
import { type MeteoraCluster, openCluster } from "./testing/cluster.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** What a config and two signatures take, and what a wallet needs to exist. */
const COST = 8_194_960n;
const LEAST = 890_880n;

describeMeteora("what a config costs", () => {
  let cluster: MeteoraCluster;

  beforeAll(async () => {
    cluster = await openCluster();
  });

  /** Makes a config with a wallet that holds so much. @returns what it is told, and how that ends */
  async function attempt(lamports: bigint) {
    const { connection } = cluster;
    const payer = cluster.wallet(LEAST);
    cluster.chain.setAccount(payer.publicKey, {
      lamports,
      owner: "11111111111111111111111111111111",
    });
    const told = await configShortage(connection, payer.publicKey);
    const { instructions, signers } = await createConfig(
      connection,
      payer.publicKey,
      DEFAULT_CONFIG_TERMS,
    );
    const made = await sendAndConfirm({
      connection,
      payer,
      instructions,
      signers,
      feeCaps: { maxPriorityMicroLamports: 0n, maxTransactionFeeLamports: 1_000_000n },
      clock: systemClock,
      confirmer: { tickMs: 5 },
      onSigned: () => {},
    }).then(
      () => true,
      () => false,
    );
    return { told: told?.replace(payer.publicKey.toBase58(), "WALLET") ?? null, made };
  }

  test.each([
    { lamports: COST, held: "0.00819496" },
    { lamports: COST + LEAST, held: "0.00908584" },
    { lamports: 10_000_000_000n, held: "10" },
  ])("a wallet with $held SOL can make one", async ({ lamports }) => {
    expect(await attempt(lamports)).toEqual({ told: null, made: true });
  });

  test.each([
    { lamports: 0n, held: "0" },
    { lamports: COST - 1n, held: "0.008194959" },
    { lamports: COST + 1n, held: "0.008194961" },
    { lamports: COST + LEAST - 1n, held: "0.009085839" },
  ])("a wallet with $held SOL cannot make one and is told so", async ({ lamports, held }) => {
    expect(await attempt(lamports)).toEqual({
      told: `The launch wallet WALLET holds ${held} SOL and needs about 0.00908584 SOL for a config: send SOL to it.`,
      made: false,
    });
  });
});
