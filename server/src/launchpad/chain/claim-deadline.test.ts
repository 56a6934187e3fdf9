import { beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Keypair, SystemProgram, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import { BLOCKHASH_VALID_BLOCKS } from "../../domain/cluster-pace.ts";
import type { TokenRef } from "../../domain/token.ts";
import { keypairSigner } from "../../solana/wallet-signer.ts";
import { ChainUnavailableError, ClaimExpiredError } from "../errors.ts";
import type { UnsignedClaim } from "../launchpad.ts";
import { openCluster, type TimedCluster } from "../meteora/testing/cluster.ts";
import { openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { traded } from "../meteora/testing/token-life.ts";
import { type ChainLaunchpad, chainLaunchpad } from "./chain-launchpad.ts";
import { unsent } from "./testing/journal.ts";
import { never, SOL, WIDE_LIMITS } from "./testing/test-launchpad.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** Blocks from the confirmed to the finalized one. */
const FINALIZED_AFTER_BLOCKS = 32;

describeMeteora("a claim", () => {
  describe.each([
    [400, 58, 48],
    [200, 29, 19],
  ])("with slots of %i ms", (slotMs, fastSeconds, slowSeconds) => {
    let cluster: TimedCluster;
    let meteora: TestLaunchpad;
    let launchpad: ChainLaunchpad;
    let trader: Keypair;
    let agent: Keypair;
    let token: TokenRef;

    beforeAll(async () => {
      cluster = await openCluster({ slotMs });
      meteora = await openLaunchpad(cluster);
      const { launchWallet, program } = meteora;
      trader = cluster.wallet(5_000n * SOL);
      launchpad = chainLaunchpad({
        connection: cluster.connection,
        wallet: keypairSigner(launchWallet),
        program,
        clock: cluster.clock,
        limits: WIDE_LIMITS,
        feeCaps: WIDE_LIMITS,
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

    /** The agent's signature, and the sponsor's if it pays. */
    async function cosign(claim: UnsignedClaim) {
      const signed = VersionedTransaction.deserialize(claim.transaction);
      signed.sign([agent]);
      const { lastValidBlockHeight } = claim;
      const own = {
        transaction: signed.serialize(),
        signature: bs58.encode(signed.signatures[0] ?? new Uint8Array()),
        lastValidBlockHeight,
      };
      const both = claim.repaidLamports === null ? own : await launchpad.cosignClaim(own);
      return { ...both, lastValidBlockHeight, agent: agent.publicKey.toBase58() };
    }

    /** Step 2. */
    async function submit(claim: UnsignedClaim) {
      const signed = await cosign(claim);
      return launchpad.submitClaim({ ...signed, tokens: [token] }, unsent, never);
    }

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
      await expect(submit(claim)).rejects.toBeInstanceOf(ClaimExpiredError);
      expect([...cluster.calls.keys()].toSorted()).toEqual(["getEpochInfo", "getMultipleAccounts"]);
      expect(cluster.chain.getBalance(launchWallet.publicKey)).toBe(before);
    });

    test("may cost its sponsor a fee until it is final that it never landed", async () => {
      const { chain, clock } = cluster;
      empty(agent);
      const claim = await build();
      const signed = await cosign(claim);
      const outcome = () => launchpad.finalOutcome(signed);
      expect(await outcome()).toBe("open");
      clock.advance((claim.lastValidBlockHeight - chain.blockHeight() + 1) * slotMs);
      await expect(submit(claim)).rejects.toBeInstanceOf(ClaimExpiredError);
      expect(await outcome()).toBe("open");
      clock.advance(FINALIZED_AFTER_BLOCKS * slotMs);
      expect(await outcome()).toBe("never");

      const landing = await build();
      const landed = await cosign(landing);
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
