import { beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createTransferInstruction } from "@solana/spl-token";
import { type Keypair, SystemProgram } from "@solana/web3.js";
import { utcDay } from "../../base/clock.ts";
import { generateKeypair } from "../../base/native-keys.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { TokenRef } from "../../domain/token.ts";
import { SLOT_MS } from "../../localnet/slots.ts";
import { createConnection } from "../../solana/connection.ts";
import { type Fault, FaultyRpc, hideFailures } from "../../solana/testing/faulty-rpc.ts";
import { keypairSigner, type WalletSigner } from "../../solana/wallet-signer.ts";
import type { CrashPointName } from "../crash-point.ts";
import { ChainUnavailableError, ExpiredError, LaunchWalletError } from "../errors.ts";
import { poolAccounts } from "../local/accounts.ts";
import { openCluster, type TimedCluster } from "../meteora/testing/cluster.ts";
import { openLaunchpad, type TestLaunchpad } from "../meteora/testing/launchpad.ts";
import { describeMeteora, ON_CHAIN_MS } from "../meteora/testing/programs.ts";
import { traded } from "../meteora/testing/trades.ts";
import type { PoolProgram } from "../pool-program.ts";
import { cosigned, launchpadOn, signBy } from "../signing/testing/steps.ts";
import { Journal, MemoryBook, unsent } from "./testing/journal.ts";
import { never, order, SOL, testLaunchpad, WIDE_LIMITS } from "./testing/test-launchpad.ts";

/** A price under every cap: some thousand lamports a launch, depending on its units. */
const UNIT_PRICE = 20_000;

/** Holds launches at a step until it is opened. */
function gate() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: opened.resolve,
    async pass() {
      reached.resolve();
      await opened.promise;
    },
  };
}

interface BookedOptions {
  readonly program?: (inner: PoolProgram) => PoolProgram;
  readonly maxDailySpendLamports?: bigint;
}

/**
 * A launchpad where others pay priority fees, with its spend book. Every simulation runs on a later
 * slot than the read before it, as on most live clusters.
 */
function booked({ program, maxDailySpendLamports }: BookedOptions = {}) {
  const book = new MemoryBook(() => utcDay(made.clock.now()));
  /** Where launches wait: before their simulation by event, after a step by its name. */
  const gates = new Map<string, ReturnType<typeof gate>>();
  const made = testLaunchpad({
    limits: {
      maxPriorityMicroLamports: 1_000_000_000n,
      ...(maxDailySpendLamports !== undefined && { maxDailySpendLamports }),
    },
    crashPoint: async (name) => {
      const held = gates.get(name);
      gates.delete(name);
      await held?.pass();
    },
    program: (inner) => ({
      ...(program?.(inner) ?? inner),
      async launch(launch) {
        await gates.get(launch.eventId)?.pass();
        return (program?.(inner) ?? inner).launch(launch);
      },
    }),
  });
  const { rpc, clock, chain, wallet, launchpad } = made;
  const misbehave = (decide: (method: string) => Fault | null = () => null) => {
    rpc.spoil((method) => {
      if (method === "simulateTransaction") clock.advance(SLOT_MS);
      return decide(method);
    });
  };
  rpc.unitPrice(UNIT_PRICE);
  misbehave();
  const before = chain.getBalance(wallet.publicKey);
  return {
    ...made,
    misbehave,
    journal: () => new Journal(book),
    deploy: (launch: LaunchOrder = order(), journal = new Journal(book)) =>
      launchpad.deploy(launch, journal, never),
    holdAt(at: CrashPointName | LaunchOrder) {
      const held = gate();
      gates.set(typeof at === "string" ? at : at.eventId, held);
      return held;
    },
    /** Sets the wallet's balance. */
    hold: (lamports: bigint) =>
      chain.setAccount(wallet.publicKey, { lamports, owner: SystemProgram.programId }),
    /** Lamports that are booked today. */
    book: () => book.spentToday(),
    /** Lamports that the chain has taken from the wallet. */
    took: () => before - chain.getBalance(wallet.publicKey),
  };
}

function ruinable() {
  const ruined = order();
  const made = booked({
    program: (inner) => ({
      ...inner,
      async launch(launch) {
        const made = await inner.launch(launch);
        if (launch.eventId !== ruined.eventId) return made;
        return { ...made, instructions: [...made.instructions, overdraw(inner, launch)] };
      },
    }),
  });
  return {
    ...made,
    ruined,
    hideFailure: () => hideFailures(made.rpc),
  };
}

describe("what is booked equals what the chain took, to the lamport", () => {
  test("for ten launches side by side, with their priority fees", async () => {
    const { deploy, book, took, chain, mints, journal: newJournal } = booked();
    const journal = newJournal();
    await Promise.all([deploy(order(), journal), ...Array.from({ length: 9 }, () => deploy())]);
    expect(mints()).toBe(10);
    const fee = chain.getTransaction(journal.latest?.signature ?? "")?.meta.fee ?? 0n;
    expect(Number(fee)).toBeGreaterThan(15_000);
    expect(book()).toBe(took());
  });

  test.each([
    ["arrives", 5n * SOL],
    ["is taken by other servers", -25_000_000n],
  ])("if SOL %s between the reads", async (_, change) => {
    const { deploy, holdAt, hold, book, took, chain, wallet } = booked();
    const launch = order();
    const held = holdAt(launch);
    const deploying = deploy(launch);
    await held.reached;
    hold(chain.getBalance(wallet.publicKey) + change);
    held.open();
    await deploying;
    expect(book()).toBe(took() + change);
  });

  test("for a launch that cannot be signed: nothing", async () => {
    const { deploy, book } = booked({
      program: (inner) => ({
        ...inner,
        launch: async (launch) => ({
          ...(await inner.launch(launch)),
          signers: [generateKeypair()],
        }),
      }),
    });
    await expect(deploy()).rejects.toThrow("does not sign");
    expect(book()).toBe(0n);
  });

  test("for a launch that lands while another expires", async () => {
    const { deploy, holdAt, misbehave, book, took, mints, journal: newJournal } = booked();
    const [launch, journal] = [order(), newJournal()];
    const stored = holdAt("launch.stored");
    const lost = deploy(launch, journal);
    await stored.reached;
    await deploy();
    misbehave((method) => (method === "sendTransaction" ? "request lost" : null));
    stored.open();
    await expect(lost).rejects.toThrow("expired");
    expect(mints()).toBe(1);
    expect(book()).toBe(took());
    misbehave();
    await deploy(launch, journal);
    expect(mints()).toBe(2);
    expect(book()).toBe(took());
  });

  test("for a launch that fails on chain while another lands", async () => {
    const { ruined, hideFailure, deploy, holdAt, book, took, chain, mints, ...made } = ruinable();
    await deploy();
    const held = holdAt(ruined);
    const journal = made.journal();
    const failed = deploy(ruined, journal);
    await held.reached;
    await deploy();
    hideFailure();
    held.open();
    await expect(failed).rejects.toThrow(
      "failed on chain (instruction 13: custom program error 1)",
    );
    expect(mints()).toBe(2);
    expect(book()).toBe(took());
    // Three signatures and the priority fee were lost.
    const meta = chain.getTransaction(journal.latest?.signature ?? "")?.meta;
    expect(Number(meta?.fee)).toBeGreaterThan(15_000);
  });

  test.each(["same process", "next one"])(
    "for a launch that turns out later, in the %s, to have failed on chain",
    async (process) => {
      const { ruined, hideFailure, deploy, misbehave, book, took, ...made } = ruinable();
      await deploy();
      hideFailure();
      misbehave((method) => (method === "getSignatureStatuses" ? "request lost" : null));
      const journal = made.journal();
      await expect(deploy(ruined, journal)).rejects.toThrow("cannot be reached");
      // Its outcome is unknown, so its whole cost is booked.
      expect(book()).toBeGreaterThan(took());
      misbehave();
      const launchpad = process === "next one" ? made.restart() : made.launchpad;
      const again = launchpad.deploy(ruined, journal, never);
      await expect(again).rejects.toThrow("failed on chain");
      expect(journal.attempts).toHaveLength(2);
      expect(book()).toBe(took());
    },
  );
});

describe("a day's limit", () => {
  test("holds for launches side by side, priority fees included", async () => {
    const { deploy, book, took, mints } = booked({ maxDailySpendLamports: 30_000_000n });
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => deploy()));
    for (const outcome of outcomes) {
      if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(LaunchWalletError);
    }
    expect(mints()).toBeGreaterThan(1);
    expect(mints()).toBeLessThan(6);
    expect(book()).toBe(took());
    expect(book()).toBeLessThanOrEqual(30_000_000n);
  });
});

test("a launch does not end because the wallet lacks lamports for a moment", async () => {
  const { deploy, misbehave, hold, chain, wallet, book, took, mints, ...made } = booked();
  const [launch, journal] = [order(), made.journal()];
  const all = chain.getBalance(wallet.publicKey);
  let lost = 0n;
  for (let attempt = 1; attempt <= 3; attempt++) {
    hold(all);
    // The transaction reaches the node only when the wallet holds no more than the network fee.
    misbehave((method) => {
      if (method !== "sendTransaction") return null;
      hold(1_000_000n);
      misbehave();
      return "request lost";
    });
    const short = deploy(launch, journal);
    await expect(short).rejects.toBeInstanceOf(ChainUnavailableError);
    await expect(short).rejects.toThrow("custom program error 1");
    expect(journal.attempts).toHaveLength(attempt);
    lost += 1_000_000n - chain.getBalance(wallet.publicKey);
    expect(book()).toBe(lost);
  }
  hold(all);
  misbehave();
  await deploy(launch, journal);
  expect(mints()).toBe(1);
  expect(book()).toBe(lost + took());
});

/** Fails in the token program with the code that the System program uses for a lack of lamports. */
function overdraw(inner: PoolProgram, launch: LaunchOrder) {
  const { baseVault, pool } = poolAccounts(inner.addresses(launch.eventId));
  return createTransferInstruction(baseVault, baseVault, pool, 2n ** 63n);
}

setDefaultTimeout(ON_CHAIN_MS);

const USUAL = 6_960n;
const LOW = 696n;
const FEE = 10_000n;

describeMeteora("a rent that changes", () => {
  let cluster: TimedCluster;
  let meteora: TestLaunchpad;
  let rpc: FaultyRpc;
  beforeEach(async () => {
    cluster = await openCluster({ slotMs: 200, rentPerByte: LOW });
    meteora = await openLaunchpad(cluster);
    rpc = FaultyRpc.of(cluster.chain);
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

  /** A launch whose mint's address, a part of its metadata, is as long as all others here. */
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

      // Network fees count as rent, so the launch needs a little more than it can cost.
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
