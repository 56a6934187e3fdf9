import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import { Keypair, SystemProgram } from "@solana/web3.js";
import { explainTransaction } from "../../../../sdk/src/explain-transaction.ts";
import { sentBefore } from "../chain/testing/journal.ts";
import { never, SOL, type WholeLaunchpad } from "../chain/testing/test-launchpad.ts";
import { CreatorChangedError, UnaffordableError } from "../errors.ts";
import type { UnsignedHandOver } from "../signing/signing.ts";
import { launchpadOn, signBy, stepTwo } from "../signing/testing/steps.ts";
import { readable } from "../testing/readable.ts";
import { liquidityPoolAddress } from "./liquidity-reader.ts";
import { KINDS, openCluster } from "./testing/cluster.ts";
import { openLaunchpad, type TestLaunchpad } from "./testing/launchpad.ts";
import {
  giveCreator,
  givePositions,
  openLockedPosition,
  openPosition,
} from "./testing/positions.ts";
import { describeMeteora, ON_CHAIN_MS } from "./testing/programs.ts";
import {
  buy,
  buyMigrated,
  migrate,
  type OwnedToken,
  traded,
  tradedAfterMigration,
  untraded,
} from "./testing/trades.ts";

setDefaultTimeout(ON_CHAIN_MS);

/** Of an account for an NFT of Token-2022, with what each account counts besides its data. */
const NFT_BYTES = 298n;

describeMeteora("a hand-over on Meteora's programs", () => {
  describe.each([...KINDS.slice(0, 1), ...KINDS.slice(-1)])(
    "of a $tokenStandard token at $rentPerByte lamports a byte",
    (kind) => {
      let meteora: TestLaunchpad;
      let launchpad: WholeLaunchpad;
      let trader: Keypair;

      beforeAll(async () => {
        meteora = await openLaunchpad(await openCluster(kind), {
          tokenStandard: kind.tokenStandard,
        });
        trader = meteora.cluster.wallet(2_000n * SOL);
        launchpad = launchpadOn(meteora);
      });

      const build = ({ token, agent }: OwnedToken, to: Keypair) =>
        launchpad.buildHandOver({
          agent: agent.publicKey.toBase58(),
          token: token.ref,
          to: to.publicKey.toBase58(),
        });

      const sign = ({ token, agent }: OwnedToken, unsigned: UnsignedHandOver) =>
        signBy(agent, unsigned, { kind: "hand_over", tokens: [token.ref] });

      async function handOver(owned: OwnedToken, to: Keypair) {
        const unsigned = await build(owned, to);
        await stepTwo(launchpad, sign(owned, unsigned));
        return unsigned;
      }

      async function textsOf(transaction: Uint8Array): Promise<string[]> {
        const { instructions, unknown } = await explainTransaction(transaction);
        expect(unknown).toBe(0);
        const own = instructions.filter(({ programName }) => programName !== "Compute Budget");
        return own.map(({ text }) => text);
      }

      const feesOf = async ({ publicKey }: Keypair, { token }: OwnedToken) => {
        const [fees] = readable(await launchpad.readFees(publicKey.toBase58(), [token.ref]));
        if (!fees) throw new Error("no fees");
        return fees;
      };

      const claimBy = async (agent: Keypair, { token }: OwnedToken) => {
        const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), [token.ref]);
        if (!claim) throw new Error("there is something to claim");
        return signBy(agent, claim);
      };

      test("after migration gives role and position in one transaction, and back", async () => {
        const owned = await tradedAfterMigration(meteora, trader);
        const { agent, token } = owned;
        const newCreator = meteora.cluster.wallet(SOL);
        const before = await feesOf(agent, owned);
        const { chain } = meteora.cluster;
        const balance = chain.getBalance(agent.publicKey);
        const there = await handOver(owned, newCreator);
        expect(there.transaction.length).toBe(714);
        const [role, proof, account, transfer] = await textsOf(there.transaction);
        expect(role).toStartWith(`Makes ${newCreator.publicKey} the creator of pool `);
        expect(proof).toStartWith("Fails unless the fee payer holds position ");
        expect(account).toStartWith(`Makes ${newCreator.publicKey}'s account for token `);
        expect(transfer).toEndWith(` to ${account?.slice(6).split(" unless ")[0]}`);
        expect(there.rent).toBe(NFT_BYTES * kind.rentPerByte);
        expect(balance - chain.getBalance(agent.publicKey)).toBe(there.rent + there.networkFee);

        expect(await feesOf(newCreator, owned)).toEqual(before);
        expect((await feesOf(agent, owned)).creatorChanged).toEqual({
          bondingCurve: newCreator.publicKey.toBase58(),
          liquidityPool: null,
        });
        const { paidLamports } = await stepTwo(launchpad, await claimBy(newCreator, owned));
        expect(paidLamports).toBe(before.bondingCurve.claimable + before.liquidityPool.claimable);
        await handOver({ token, agent: newCreator }, agent);
        expect((await feesOf(agent, owned)).creatorChanged).toBeUndefined();
      });

      test("needs the rent of the receiver's account beside what a wallet keeps", async () => {
        const owned = await tradedAfterMigration(meteora, trader);
        const { chain } = meteora.cluster;
        const { publicKey } = owned.agent;
        const required = 5_000n + (NFT_BYTES + 128n) * kind.rentPerByte;
        const hold = (lamports: bigint) =>
          chain.setAccount(publicKey, { lamports, owner: SystemProgram.programId });
        hold(required - 1n);
        const building = build(owned, Keypair.generate());
        await expect(building).rejects.toBeInstanceOf(UnaffordableError);
        await expect(building).rejects.toMatchObject({ required, balance: required - 1n });
        hold(required);
        await handOver(owned, Keypair.generate());
        expect(chain.getBalance(publicKey)).toBe(128n * kind.rentPerByte);
      });

      // Nothing of what follows depends on the token program or the rent.
      if (kind.rentPerByte === 696n) return;

      test("on the curve gives the role to a wallet that does not exist, for the network fee", async () => {
        const owned = await traded(meteora, trader);
        const newCreator = Keypair.generate();
        const { claimable } = (await feesOf(owned.agent, owned)).bondingCurve;
        const balance = meteora.cluster.chain.getBalance(owned.agent.publicKey);
        const { transaction, networkFee, rent } = await handOver(owned, newCreator);
        expect(transaction.length).toBe(384);
        expect([networkFee, rent]).toEqual([5_000n, 0n]);
        expect(await textsOf(transaction)).toEqual([
          `Makes ${newCreator.publicKey} the creator of pool ${owned.token.pool} instead of the fee payer, with all fees of its curve that are not claimed yet`,
        ]);
        expect(balance - meteora.cluster.chain.getBalance(owned.agent.publicKey)).toBe(5_000n);

        expect((await feesOf(newCreator, owned)).bondingCurve.claimable).toBe(claimable);
        expect((await feesOf(owned.agent, owned)).creatorChanged).toEqual({
          bondingCurve: newCreator.publicKey.toBase58(),
        });
        const building = launchpad.buildClaim(owned.token.order.wallet, [owned.token.ref]);
        await expect(building).rejects.toBeInstanceOf(CreatorChangedError);
        meteora.cluster.chain.airdrop(newCreator.publicKey, SOL);
        const claim = await claimBy(newCreator, owned);
        expect(await stepTwo(launchpad, claim)).toMatchObject({
          paidLamports: claimable,
        });
      });

      test("whose token migrated before it landed is completed by another one", async () => {
        const owned = await untraded(meteora);
        const newCreator = Keypair.generate();
        const early = await build(owned, newCreator);
        const { connection } = meteora.cluster;
        await buy(connection, { pool: owned.token.pool, trader }, 400n * SOL);
        await migrate(connection, owned.token.pool, trader);
        await stepTwo(launchpad, sign(owned, early));
        expect((await feesOf(newCreator, owned)).creatorChanged).toEqual({ liquidityPool: null });
        await handOver(owned, newCreator);
        expect((await feesOf(newCreator, owned)).creatorChanged).toBeUndefined();
      });

      test.each([
        ["before it is sent", false],
        ["on chain", true],
      ])("is refused %s if the role was given away before", async (_, mayBeUnderWay) => {
        const owned = await untraded(meteora);
        const other = Keypair.generate();
        const signed = sign(owned, await build(owned, Keypair.generate()));
        await giveCreator(
          meteora.cluster.connection,
          owned.token.pool,
          owned.agent,
          other.publicKey,
        );
        const submitting = mayBeUnderWay
          ? launchpad.submit(signed, sentBefore(signed), never)
          : stepTwo(launchpad, signed);
        await expect(submitting).rejects.toThrow(
          `The fees of the bonding curve belong to ${other.publicKey} now`,
        );
        await expect(build(owned, other)).rejects.toBeInstanceOf(CreatorChangedError);
      });

      test("gives only the role if the position is elsewhere, and none whose liquidity the agent can withdraw", async () => {
        const owned = await tradedAfterMigration(meteora, trader);
        const { connection } = meteora.cluster;
        await givePositions(connection, owned.agent, Keypair.generate().publicKey);
        meteora.cluster.chain.airdrop(owned.agent.publicKey, 10n * SOL);
        const pool = liquidityPoolAddress(MigrationFeeOption.Customizable, owned.token.mint);
        await buyMigrated(connection, { pool, trader: owned.agent }, SOL);
        await openPosition(connection, owned.agent, owned.token.mint);
        const newCreator = Keypair.generate();
        expect((await handOver(owned, newCreator)).rent).toBe(0n);
        expect((await feesOf(newCreator, owned)).creatorChanged).toEqual({ liquidityPool: null });
      });

      test("is not kept from landing by small positions that others send to the agent", async () => {
        const owned = await tradedAfterMigration(meteora, trader);
        const { connection } = meteora.cluster;
        for (let sent = 0; sent < 4; sent++) {
          await openLockedPosition(connection, trader, owned.token.mint);
        }
        await givePositions(connection, trader, owned.agent.publicKey);
        const newCreator = Keypair.generate();
        const before = (await feesOf(owned.agent, owned)).liquidityPool.claimable;
        const { rent } = await handOver(owned, newCreator);
        expect(rent).toBe(NFT_BYTES * kind.rentPerByte);
        const { liquidityPool, creatorChanged } = await feesOf(newCreator, owned);
        expect(creatorChanged).toBeUndefined();
        expect(before - liquidityPool.claimable).toBeLessThan(100n);
      });
    },
  );
});
