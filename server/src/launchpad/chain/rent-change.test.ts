import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Keypair, SystemProgram } from "@solana/web3.js";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { TokenRef } from "../../domain/token.ts";
import { createRpcHandler } from "../../localnet/rpc/handler.ts";
import { createConnection } from "../../solana/connection.ts";
import { keypairSigner, type WalletSigner } from "../../solana/wallet-signer.ts";
import { ChainUnavailableError, ExpiredError, LaunchWalletError } from "../errors.ts";
import { openCluster, type TimedCluster } from "../meteora/testing/cluster.ts";
import { openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { traded } from "../meteora/testing/token-life.ts";
import { cosigned, launchpadOn, signBy } from "../signing/testing/steps.ts";
import { HostileRpc } from "./testing/hostile-rpc.ts";
import { Journal, MemoryBook, unsent } from "./testing/journal.ts";
import { never, order, SOL, WIDE_LIMITS } from "./testing/test-launchpad.ts";

setDefaultTimeout(ON_CHAIN_MS);

const USUAL = 6_960n;
const LOW = 696n;
const FEE = 10_000n;

describeMeteora("a rent that changes", () => {
  let cluster: TimedCluster;
  let meteora: TestLaunchpad;
  let rpc: HostileRpc;
  beforeEach(async () => {
    cluster = await openCluster({ slotMs: 200, rentPerByte: LOW });
    meteora = await openLaunchpad(cluster);
    const handle = createRpcHandler(cluster.chain);
    rpc = new HostileRpc((url, init) => handle(new Request(url, init)));
  });

  /** @param onSign called before each signature of the launch wallet */
  function open(minWalletLamports = 0n, onSign = () => {}) {
    const connection = createConnection("http://localnet.invalid", { fetch: rpc.fetch });
    const inner = keypairSigner(meteora.launchWallet);
    const signatures: string[] = [];
    const wallet: WalletSigner = {
      ...inner,
      sign(message, purpose) {
        signatures.push(purpose);
        onSign();
        return inner.sign(message, purpose);
      },
    };
    const limits = { ...WIDE_LIMITS, minWalletLamports };
    const launchpad = launchpadOn(meteora, { connection, wallet, clock: cluster.clock, limits });
    return { launchpad, signatures };
  }

  function changeAfter(method: string, rentPerByte: bigint) {
    rpc.rewrite(method, (answer) => {
      cluster.chain.setRent(rentPerByte);
      return answer;
    });
  }

  /** A launch whose mint's address, which is part of its metadata, is as long as that of any other here. */
  function launch(): LaunchOrder {
    for (;;) {
      const one = order();
      if (meteora.program.addresses(one.eventId).tokenMint.length === 44) return one;
    }
  }

  const hold = ({ publicKey }: Keypair, lamports: bigint) =>
    cluster.chain.setAccount(publicKey, { lamports, owner: SystemProgram.programId });
  const balanceOf = ({ publicKey }: Keypair) => cluster.chain.getBalance(publicKey);

  describe("before a launch lands", () => {
    async function costAt(rentPerByte: bigint): Promise<bigint> {
      cluster.chain.setRent(rentPerByte);
      const before = balanceOf(meteora.launchWallet);
      await open().launchpad.deploy(launch(), new Journal(), never);
      cluster.chain.setRent(LOW);
      return before - balanceOf(meteora.launchWallet);
    }

    test("takes the wallet no lamport below its floor", async () => {
      const low = await costAt(LOW);
      const usual = await costAt(USUAL);
      const floor = SOL;
      const { launchpad, signatures } = open(floor);
      hold(meteora.launchWallet, floor + usual - 1n);
      const refused = launchpad.deploy(launch(), new Journal(), never);
      await expect(refused).rejects.toBeInstanceOf(LaunchWalletError);
      expect(signatures).toEqual([]);

      // The network's fees are counted as rent, so it needs a little more than it can cost.
      hold(meteora.launchWallet, floor + low * 10n);
      const rising = open(floor, () => cluster.chain.setRent(USUAL));
      await rising.launchpad.deploy(launch(), new Journal(), never);
      const left = balanceOf(meteora.launchWallet);
      expect(floor + low * 10n - left).toBe(usual);
      expect(left).toBeGreaterThanOrEqual(floor);
    });

    test("has it simulated again, and what it took is booked to the lamport", async () => {
      const { launchpad, signatures } = open(1n);
      const book = new MemoryBook();
      const launch = order();
      changeAfter("simulateTransaction", USUAL);
      const changed = launchpad.deploy(launch, new Journal(book), never);
      await expect(changed).rejects.toBeInstanceOf(ChainUnavailableError);
      expect(signatures).toEqual([]);
      expect(book.spentToday()).toBe(0n);
      const before = balanceOf(meteora.launchWallet);
      await launchpad.deploy(launch, new Journal(book), never);
      expect(before - balanceOf(meteora.launchWallet)).toBe(book.spentToday());
    });
  });

  describe.each([
    ["rises", LOW, USUAL],
    ["falls", USUAL, LOW],
  ])("and %s between the steps of a sponsored claim", (_, first, then) => {
    let agent: Keypair;
    let token: TokenRef;
    beforeEach(async () => {
      cluster.chain.setRent(first);
      const owned = await traded(meteora, cluster.wallet(100n * SOL));
      agent = owned.agent;
      token = owned.token.ref;
      hold(agent, 0n);
    });

    test("has the claim built again, and moves nothing between sponsor and agent", async () => {
      const { launchpad, signatures } = open();
      const before = balanceOf(meteora.launchWallet);
      const sign = async () => {
        const claim = await launchpad.buildClaim(agent.publicKey.toBase58(), [token], {
          maySponsor: async () => true,
        });
        if (!claim) throw new Error("there is something to claim");
        cluster.chain.setRent(then);
        return cosigned(launchpad, signBy(agent, claim));
      };
      await expect(sign()).rejects.toBeInstanceOf(ExpiredError);
      expect(signatures).toEqual([]);
      const { paidLamports } = await launchpad.submit(await sign(), unsent, never);
      expect(balanceOf(agent)).toBe(paidLamports - FEE);
      expect(balanceOf(meteora.launchWallet)).toBe(before);
    });
  });
});
