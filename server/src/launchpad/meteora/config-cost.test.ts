import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { DEFAULT_CONFIG_TERMS } from "./config-terms.ts";
import { configShortage, createConfig } from "./create-config.ts";
import { type MeteoraCluster, openCluster } from "./testing/cluster.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import { send } from "./testing/send.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** The cost of a config and two signatures, and the rent exemption of a wallet. */
const COST = 8_194_960n;
const LEAST = 890_880n;

describeMeteora("the cost of a config", () => {
  let cluster: MeteoraCluster;

  beforeAll(async () => {
    cluster = await openCluster();
  });

  /** Creates a config with a wallet that holds these lamports. @returns the message, and whether it worked */
  async function attempt(lamports: bigint) {
    const { connection } = cluster;
    const payer = cluster.wallet(LEAST);
    cluster.chain.setAccount(payer.publicKey, {
      lamports,
      owner: "11111111111111111111111111111111",
    });
    const shortage = await configShortage(connection, payer.publicKey, 10_000n);
    const { instructions, signers } = createConfig(payer.publicKey, DEFAULT_CONFIG_TERMS);
    const made = await send(connection, instructions, [payer, ...signers]).then(
      () => true,
      () => false,
    );
    return { shortage: shortage?.replace(payer.publicKey.toBase58(), "WALLET") ?? null, made };
  }

  test.each([
    { lamports: COST, held: "0.00819496" },
    { lamports: COST + LEAST, held: "0.00908584" },
    { lamports: 10_000_000_000n, held: "10" },
  ])("a wallet with $held SOL can pay", async ({ lamports }) => {
    expect(await attempt(lamports)).toEqual({ shortage: null, made: true });
  });

  test.each([
    { lamports: 0n, held: "0" },
    { lamports: COST - 1n, held: "0.008194959" },
    { lamports: COST + 1n, held: "0.008194961" },
    { lamports: COST + LEAST - 1n, held: "0.009085839" },
  ])("a wallet with $held SOL cannot pay, and the message says so", async ({ lamports, held }) => {
    expect(await attempt(lamports)).toEqual({
      shortage: `The launch wallet WALLET holds ${held} SOL and needs about 0.00908584 SOL for a config: send SOL to it.`,
      made: false,
    });
  });
});
