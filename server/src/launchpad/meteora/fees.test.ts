import { expect, test } from "bun:test";
import { getUnClaimLpFee, type PoolState, type PositionState } from "@meteora-ag/cp-amm-sdk";
import { Keypair } from "@solana/web3.js";
import BN from "bn.js";
import * as fc from "fast-check";
import { claimablePositionFee, curveFees, liquidityFees } from "./liquidity-reader.ts";
import type { Curve, LiquidityPool, Position } from "./programs.ts";

const key = Keypair.generate().publicKey;
const agent = key.toBase58();

function curve(share: number, tradingFees: bigint, creatorFee: bigint): Curve {
  return {
    address: key,
    config: { creatorTradingFeePercentage: share },
    pool: {
      creator: agent,
      creatorQuoteFee: creatorFee,
      metrics: { totalTradingQuoteFee: tradingFees },
    },
  } as Curve;
}

function pool(feeBPerLiquidity: bigint): LiquidityPool {
  return { feeBPerLiquidity } as LiquidityPool;
}

interface Held {
  readonly liquidity: bigint;
  readonly feeCheckpoint: bigint;
  readonly pending: bigint;
  readonly claimed: bigint;
}

function position(held: Partial<Held>): Position {
  const { liquidity = 0n, feeCheckpoint = 0n, pending = 0n, claimed = 0n } = held;
  return {
    unlockedLiquidity: liquidity,
    vestedLiquidity: 0n,
    permanentLockedLiquidity: 0n,
    feeBPerTokenCheckpoint: feeCheckpoint,
    feeBPending: pending,
    metrics: { totalClaimedAFee: 0n, totalClaimedBFee: claimed },
  } as Position;
}

test("the creator has its share of a curve's trading fees", () => {
  expect(curveFees(curve(70, 1_000n, 500n), agent)).toEqual({
    claimable: 500n,
    claimed: 200n,
    total: 700n,
  });
});

test("a wallet that is not the pool's creator has no fees of it", () => {
  const stranger = Keypair.generate().publicKey.toBase58();
  expect(curveFees(curve(100, 1_000n, 500n), stranger)).toEqual({
    claimable: 0n,
    claimed: 0n,
    total: 0n,
  });
});

test("amounts above 2^53 stay exact", () => {
  const total = 18_446_744_073_709_551_615n;
  expect(curveFees(curve(100, total, 1n), agent)).toEqual({
    claimable: 1n,
    claimed: total - 1n,
    total,
  });
});

test("fees of several positions add up", () => {
  const held = [
    position({ liquidity: 3n, feeCheckpoint: 0n, claimed: 5n }),
    position({ liquidity: 2n, feeCheckpoint: 1n << 128n, pending: 7n, claimed: 1n }),
  ];
  expect(liquidityFees(pool(2n << 128n), held)).toEqual({
    claimable: 15n,
    claimed: 6n,
    total: 21n,
  });
});

test("a pool read from a node that is behind its position adds nothing", () => {
  const ahead = position({ liquidity: 1n << 100n, feeCheckpoint: 5n << 60n, pending: 9n });
  expect(claimablePositionFee(pool(4n << 60n), ahead)).toBe(9n);
});

test("a position's fee is what the DAMM v2 SDK counts", async () => {
  await fc.assert(
    fc.property(
      fc.bigInt(0n, (1n << 110n) - 1n),
      fc.bigInt(0n, (1n << 80n) - 1n),
      fc.bigInt(0n, (1n << 80n) - 1n),
      fc.bigInt(0n, (1n << 62n) - 1n),
      (liquidity, feeCheckpoint, growth, pending) => {
        const feePerLiquidity = feeCheckpoint + growth;
        const expected = getUnClaimLpFee(
          sdkPool(feePerLiquidity),
          sdkPosition({ liquidity, feeCheckpoint, pending }),
        ).feeTokenB;
        const held = position({ liquidity, feeCheckpoint, pending });
        expect(claimablePositionFee(pool(feePerLiquidity), held)).toBe(BigInt(expected.toString()));
      },
    ),
    { numRuns: 500 },
  );
});

function sdkPool(feePerLiquidity: bigint): PoolState {
  return {
    feeAPerLiquidity: bytes32(0n),
    feeBPerLiquidity: bytes32(feePerLiquidity),
    rewardInfos: [],
  } as unknown as PoolState;
}

function sdkPosition(of: Omit<Held, "claimed">): PositionState {
  return {
    feeAPerTokenCheckpoint: bytes32(0n),
    feeBPerTokenCheckpoint: bytes32(of.feeCheckpoint),
    feeAPending: new BN(0),
    feeBPending: new BN(of.pending.toString()),
    unlockedLiquidity: new BN(0),
    vestedLiquidity: new BN(0),
    permanentLockedLiquidity: new BN(of.liquidity.toString()),
    rewardInfos: [],
  } as unknown as PositionState;
}

function bytes32(value: bigint): number[] {
  return new BN(value.toString()).toArray("le", 32);
}
