import { expect, test } from "bun:test";
import { CpAmm } from "@meteora-ag/cp-amm-sdk";
import { DAMM_V2_MIGRATION_FEE_ADDRESS } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { openTestChain } from "../../localnet/testing/local-chain.ts";
import { writeMeteoraGenesis } from "./genesis.ts";

test("genesis writes the configurations as Meteora's SDK reads them", async () => {
  const { chain, connection } = openTestChain();
  await writeMeteoraGenesis(chain);
  const amm = new CpAmm(connection);
  const configs = await Promise.all(
    DAMM_V2_MIGRATION_FEE_ADDRESS.map((address) => amm.fetchConfigState(address)),
  );
  for (const config of configs) {
    expect(config.poolCreatorAuthority.toBase58()).toBe(
      "FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM",
    );
    expect(config.activationType).toBe(1);
    expect(config.sqrtMinPrice.toString()).toBe("4295048016");
    expect(config.sqrtMaxPrice.toString()).toBe("79226673521066979257578248091");
  }
  // The fee numerator is the first field of the base fee, of 10⁹.
  const fees = configs.map(({ poolFees }) => Buffer.from(poolFees.baseFee.data).readBigUInt64LE(0));
  expect(fees).toEqual([25n, 30n, 100n, 200n, 400n, 600n, 0n].map((bps) => bps * 100_000n));
  expect(configs.map(({ configType }) => configType)).toEqual([0, 0, 0, 0, 0, 0, 1]);
});

test("genesis gives SOL to the pool authorities, and does not change accounts that exist", async () => {
  const { chain } = openTestChain();
  const [first, second] = [
    "FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM",
    "HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC",
  ] as const;
  chain.airdrop(first, 3_000_000_000n);
  for (let starts = 0; starts < 2; starts++) await writeMeteoraGenesis(chain);
  expect([first, second].map((authority) => chain.getBalance(authority))).toEqual([
    3_000_000_000n,
    10_000_000_000n,
  ]);
});
