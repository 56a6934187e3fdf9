import { beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Keypair, SystemProgram } from "@solana/web3.js";
import { BLOCKHASH_VALID_BLOCKS } from "../../domain/cluster-pace.ts";
import type { TokenRef } from "../../domain/token.ts";
import { SOL, type WholeLaunchpad } from "../chain/testing/test-launchpad.ts";
import { ChainUnavailableError, ExpiredError } from "../errors.ts";
import { openCluster, type TimedCluster } from "../meteora/testing/cluster.ts";
import { openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { traded } from "../meteora/testing/token-life.ts";
import type { UnsignedClaim } from "./claim.ts";
import { cosigned, launchpadOn, signBy, stepTwo } from "./testing/steps.ts";

setDefaultTimeout(ON_CHAIN_MS);

const FINALIZED_AFTER_BLOCKS = 32;

describeMeteora("a claim", () => {
  describe.each([
    [400, 58, 48],
    [200, 29, 19],
  ])("with slots of %i ms", (slotMs, fastSeconds, slowSeconds) => {
    let cluster: TimedCluster;
    let meteora: TestLaunchpad;
    let launchpad: WholeLaunchpad;
    let trader: Keypair;
    let agent: Keypair;
    let token: TokenRef;

    beforeAll(async () => {
      cluster = await openCluster({ slotMs });
      meteora = await openLaunchpad(cluster);
      trader = cluster.wallet(5_000n * SOL);
      launchpad = launchpadOn(meteora, {
        clock: cluster.clock,
        confirmer: {
          async pause(milliseconds) {
            cluster.clock.advance(Math.max(milliseconds, slotMs));
            await new Promise((resolve) => setImmediate(resolve));
          },
        },
      });
      for (let reading = 0; reading < 3; reading++) {
        await launchpad.probe();
        cluster.clock.advance(10_000);
      }
    });
    beforeEach(async () => {
      cluster.latencyMs = 0;
      const owned = await traded(meteora, trader);
      agent = owned.agent;
      token = owned.token.ref;
    });

    async function build(): Promise<UnsignedClaim> {
      const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), [token], {
        maySponsor: async () => true,
      });
      if (!claim) throw new Error("there is something to claim");
      return claim;
    }

    const sign = (claim: UnsignedClaim) => signBy(agent, claim);
    const submit = (claim: UnsignedClaim) => stepTwo(launchpad, sign(claim));

    const empty = ({ publicKey }: Keypair) =>
      meteora.cluster.chain.setAccount(publicKey, { lamports: 0n, owner: SystemProgram.programId });

    describe.each([
      ["an answer at once", 0, fastSeconds],
      ["two seconds from request to answer", 2_000, slowSeconds],
    ])("and %s", (_, latencyMs, seconds) => {
      test.each(["own", "sponsored"])("lands if it is signed in time: %s", async (kind) => {
        if (kind === "sponsored") empty(agent);
        cluster.latencyMs = latencyMs;
        const claim = await build();
        expect(claim.repaidLamports === null).toBe(kind === "own");
        expect(claim.expiresInSeconds).toBeLessThanOrEqual(seconds);
        expect(claim.expiresInSeconds).toBeGreaterThan(seconds - 5);
        cluster.clock.advance(claim.expiresInSeconds * 1000);
        expect((await submit(claim)).paidLamports).toBeGreaterThan(0n);
      });
    });

    test("is not signed by its sponsor once it has expired", async () => {
      const { launchWallet } = meteora;
      empty(agent);
      const claim = await build();
      const before = cluster.chain.getBalance(launchWallet.publicKey);
      cluster.clock.advance((BLOCKHASH_VALID_BLOCKS + 1) * slotMs);
      cluster.calls.clear();
      await expect(submit(claim)).rejects.toBeInstanceOf(ExpiredError);
      expect([...cluster.calls.keys()].toSorted()).toEqual(["getEpochInfo", "simulateTransaction"]);
      await expect(launchpad.cosign(sign(claim))).rejects.toBeInstanceOf(ExpiredError);
      expect(cluster.chain.getBalance(launchWallet.publicKey)).toBe(before);
    });

    test("may cost its sponsor a fee until it is final that it never landed", async () => {
      const { chain, clock } = cluster;
      empty(agent);
      const claim = await build();
      const signed = await cosigned(launchpad, sign(claim));
      const outcome = () => launchpad.finalOutcome(signed);
      expect(await outcome()).toBe("open");
      clock.advance((claim.lastValidBlockHeight - chain.blockHeight() + 1) * slotMs);
      await expect(submit(claim)).rejects.toBeInstanceOf(ExpiredError);
      expect(await outcome()).toBe("open");
      clock.advance(FINALIZED_AFTER_BLOCKS * slotMs);
      expect(await outcome()).toBe("never");

      const landing = await build();
      const landed = await cosigned(launchpad, sign(landing));
      await submit(landing);
      expect(await launchpad.finalOutcome(landed)).toBe("open");
      clock.advance((BLOCKHASH_VALID_BLOCKS + FINALIZED_AFTER_BLOCKS + 1) * slotMs);
      expect(await launchpad.finalOutcome(landed)).toBe("landed");
    });

    test("is not handed out if the RPC is so slow that it could not land", async () => {
      cluster.latencyMs = 14_000;
      await expect(build()).rejects.toBeInstanceOf(ChainUnavailableError);
    });
  });
});
