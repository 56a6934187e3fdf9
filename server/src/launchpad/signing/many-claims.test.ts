import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Keypair } from "@solana/web3.js";
import type { TokenPayout } from "../../domain/signing.ts";
import type { TokenRef } from "../../domain/token.ts";
import { SOL, type WholeLaunchpad } from "../chain/testing/test-launchpad.ts";
import { TOKEN_STANDARDS } from "../meteora/config-terms.ts";
import { openCluster } from "../meteora/testing/cluster.ts";
import { buy } from "../meteora/testing/curve-trades.ts";
import { launch, openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { tradedAfterMigration } from "../meteora/testing/token-life.ts";
import { readable } from "../testing/readable.ts";
import { launchpadOn, signBy, stepTwo } from "./testing/steps.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** How many tokens with only fees of their curve fit into one claim. */
const FITTING = { spl: 3, "token-2022": 3 };

describeMeteora("a claim of many tokens", () => {
  describe.each(TOKEN_STANDARDS)("of %s", (tokenStandard) => {
    const fitting = FITTING[tokenStandard];
    let meteora: TestLaunchpad;
    let launchpad: WholeLaunchpad;
    let trader: Keypair;

    beforeAll(async () => {
      meteora = await openLaunchpad(await openCluster(), { tokenStandard });
      trader = meteora.cluster.wallet(5_000n * SOL);
      launchpad = launchpadOn(meteora);
    });

    const balanceOf = ({ publicKey }: Keypair) => meteora.cluster.chain.getBalance(publicKey);

    /** An agent's tokens; the nth was bought for n SOL. */
    async function tokensOf(agent: Keypair, count: number): Promise<TokenRef[]> {
      const tokens: TokenRef[] = [];
      for (let number = 1; number <= count; number++) {
        const { ref, pool } = await launch(meteora, agent.publicKey);
        await buy(meteora.cluster.connection, { pool, trader }, BigInt(number) * SOL);
        tokens.push(ref);
      }
      return tokens;
    }

    async function feesOf(agent: Keypair, tokens: readonly TokenRef[]): Promise<TokenPayout[]> {
      const fees = readable(await launchpad.readFees(agent.publicKey.toBase58(), tokens));
      return tokens.map(({ tokenMint }, index) => ({
        tokenMint,
        bondingCurve: fees[index]?.bondingCurve.claimable ?? 0n,
        liquidityPool: fees[index]?.liquidityPool.claimable ?? 0n,
      }));
    }

    async function claimable(agent: Keypair, tokens: readonly TokenRef[]): Promise<bigint> {
      const fees = readable(await launchpad.readFees(agent.publicKey.toBase58(), tokens));
      return fees.reduce((sum, { bondingCurve }) => sum + bondingCurve.claimable, 0n);
    }

    async function build(agent: Keypair, tokens: readonly TokenRef[], maySponsor = false) {
      const wallet = agent.publicKey.toBase58();
      const claim = await launchpad.buildClaim(wallet, tokens, {
        maySponsor: async () => maySponsor,
      });
      if (!claim) throw new Error("there is something to claim");
      return claim;
    }

    test("takes as many as fit, for one network fee, and the others with the next", async () => {
      const agent = meteora.cluster.wallet(SOL);
      const tokens = await tokensOf(agent, fitting + 1);
      const { calls } = meteora.cluster;
      calls.clear();
      const first = await build(agent, tokens);
      expect(Object.fromEntries(calls)).toMatchObject({
        getMultipleAccounts: 1,
        simulateTransaction: 1,
      });
      expect(first.tokens).toEqual(tokens.slice(0, fitting));
      expect(first.transaction.length).toBeLessThanOrEqual(1_232);
      for (const [claim, taken] of [
        [first, tokens.slice(0, fitting)],
        [await build(agent, tokens.slice(fitting)), tokens.slice(fitting)],
      ] as const) {
        const expected = await claimable(agent, taken);
        const before = balanceOf(agent);
        const fees = await feesOf(agent, taken);
        const { paidLamports, payouts } = await stepTwo(launchpad, signBy(agent, claim));
        expect(paidLamports).toBe(expected);
        expect(payouts ?? []).toEqual(fees);
        expect(balanceOf(agent) - before).toBe(expected - 5_000n);
      }
      expect(await claimable(agent, tokens)).toBe(0n);
      expect(await launchpad.buildClaim(agent.publicKey.toBase58(), tokens)).toBeNull();
    });

    test("leaves out tokens without fees, of others, and that cannot be read", async () => {
      const [agent, other] = [meteora.cluster.wallet(SOL), meteora.cluster.wallet(SOL)];
      const [mine, foreign] = [await tokensOf(agent, 1), await tokensOf(other, 1)];
      const { ref: untraded } = await launch(meteora, agent.publicKey);
      const missing: TokenRef = {
        tokenMint: Keypair.generate().publicKey.toBase58(),
        poolAddress: Keypair.generate().publicKey.toBase58(),
      };
      const claim = await build(agent, [missing, ...foreign, untraded, ...mine]);
      expect(claim.tokens).toEqual(mine);
      await stepTwo(launchpad, signBy(agent, claim));
      expect(await claimable(other, foreign)).toBeGreaterThan(0n);
      await expect(build(agent, [missing])).rejects.toThrow("was not found");
    });

    test("of tokens before and after migration records both kinds of each, to the lamport", async () => {
      const { agent, token } = await tradedAfterMigration(meteora, trader);
      const tokens = [...(await tokensOf(agent, 1)), token.ref];
      const claim = await build(agent, tokens);
      expect(claim.tokens).toEqual(tokens);
      const fees = await feesOf(agent, tokens);
      expect(fees[0]).toMatchObject({ liquidityPool: 0n });
      expect(fees[1]?.bondingCurve).toBeGreaterThan(0n);
      expect(fees[1]?.liquidityPool).toBeGreaterThan(0n);
      const { paidLamports, payouts } = await stepTwo(launchpad, signBy(agent, claim));
      expect(payouts ?? []).toEqual(fees);
      const parts = fees.map(({ bondingCurve, liquidityPool }) => bondingCurve + liquidityPool);
      expect(paidLamports).toBe(parts.reduce((sum, part) => sum + part, 0n));
    });
  });
});
