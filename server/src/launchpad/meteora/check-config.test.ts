import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  type ConfigParameters,
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  MigratedCollectFeeMode,
  MigrationFeeOption,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { MINT_SIZE, MintLayout, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js";
import { type MeteoraCluster, openCluster } from "./testing/cluster.ts";
import { launch, makeConfig, openLaunchpad, programFor, SOL } from "./testing/launchpad.ts";
import { describeMeteora, meteoraBinaries, ON_CHAIN_MS } from "./testing/programs.ts";

setDefaultTimeout(ON_CHAIN_MS);

const WHAT_TO_DO = "Make one with `tokend config create` and set DBC_CONFIG to its address.";

describeMeteora("checkConfig", () => {
  let cluster: MeteoraCluster;
  let wallet: Keypair;

  beforeAll(async () => {
    cluster = await openCluster();
    wallet = cluster.wallet(10n * SOL);
  });

  test("names a program that the cluster lacks", async () => {
    const partial = await openCluster({ programs: meteoraBinaries.slice(0, 2) });
    const program = programFor(partial, wallet, Keypair.generate().publicKey);
    expect(await program.checkConfig()).toBe(
      "The program Token Metadata (metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s) is not on this cluster. Check RPC_URL.",
    );
  });

  test("reports a config that does not exist", async () => {
    const config = Keypair.generate().publicKey;
    expect(await problemOf(config)).toBe(
      `DBC_CONFIG ${config} is not on this cluster. ${WHAT_TO_DO}`,
    );
  });

  const creatorWithoutLiquidity = {
    creatorPermanentLockedLiquidityPercentage: 0,
    partnerPermanentLockedLiquidityPercentage: 100,
  };
  test.each<[string, Partial<ConfigParameters>]>([
    ["takes fees in tokens other than SOL", { collectFeeMode: 1 }],
    [
      "does not set the fee after migration",
      {
        migrationFeeOption: MigrationFeeOption.FixedBps100,
        migratedPoolFee: { collectFeeMode: 0, dynamicFee: 0, poolFeeBps: 0 },
      },
    ],
    ["leaves the agents no trading fees", { creatorTradingFeePercentage: 0 }],
    [
      "leaves the agents no liquidity, so that they earn nothing after migration",
      creatorWithoutLiquidity,
    ],
    [
      "takes fees in tokens other than SOL",
      {
        migratedPoolFee: {
          collectFeeMode: MigratedCollectFeeMode.OutputToken,
          dynamicFee: 0,
          poolFeeBps: 100,
        },
      },
    ],
  ])("reports a config that %s", async (fault, changes) => {
    const config = await makeConfig(cluster, wallet, changes);
    expect(await problemOf(config)).toBe(`DBC_CONFIG ${config} ${fault}. ${WHAT_TO_DO}`);
  });

  test("reports a config that trades against a token other than SOL", async () => {
    const quoteMint = Keypair.generate().publicKey;
    const data = Buffer.alloc(MINT_SIZE);
    MintLayout.encode({ ...MINT, supply: 1n }, data);
    cluster.chain.setAccount(quoteMint, { lamports: SOL, owner: TOKEN_PROGRAM_ID, data });
    const config = await makeConfig(cluster, wallet, {}, quoteMint);
    const problem = `DBC_CONFIG ${config} trades against a token other than SOL: ${quoteMint}`;
    expect(await problemOf(config)).toBe(`${problem}. ${WHAT_TO_DO}`);
  });

  test("reports an account that is no config", async () => {
    const { pool } = await launch(await openLaunchpad(cluster), wallet.publicKey);
    for (const address of [wallet.publicKey, pool]) {
      expect(await problemOf(address)).toBe(
        `DBC_CONFIG ${address} is not a config of Dynamic Bonding Curve. ${WHAT_TO_DO}`,
      );
    }
  });

  test("reports a cluster without the DAMM v2 config", async () => {
    const bare = await openCluster();
    const { program } = await openLaunchpad(bare);
    const address = DAMM_V2_MIGRATION_FEE_ADDRESS[MigrationFeeOption.Customizable];
    if (!address) throw new Error("no such option");
    bare.chain.setAccount(address, { lamports: 0n, owner: SystemProgram.programId });
    expect(await program.checkConfig()).toBe(
      `The DAMM v2 config ${address}, under which pools migrate, is not on this cluster. Check RPC_URL.`,
    );
  });

  test("reports a PUBLIC_URL that is too long for metadata addresses", async () => {
    const { config, launchWallet } = await openLaunchpad(cluster);
    const longest = programFor(cluster, launchWallet, config, `https://${"a".repeat(133)}`);
    expect(await longest.checkConfig()).toBeNull();
    const tooLong = programFor(cluster, launchWallet, config, `https://${"a".repeat(134)}`);
    expect(await tooLong.checkConfig()).toStartWith("PUBLIC_URL is too long");
  });

  const problemOf = (config: PublicKey) => programFor(cluster, wallet, config).checkConfig();
});

const MINT = {
  mintAuthorityOption: 0 as const,
  mintAuthority: PublicKey.default,
  supply: 0n,
  decimals: 9,
  isInitialized: true,
  freezeAuthorityOption: 0 as const,
  freezeAuthority: PublicKey.default,
};
