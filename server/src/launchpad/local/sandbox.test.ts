import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { getAssociatedTokenAddressSync } from "@solana/spl-token";
import { Keypair, type PublicKey, SystemProgram } from "@solana/web3.js";
import fc from "fast-check";
import { LocalChain } from "../../localnet/chain.ts";
import { MovableClock } from "../../testing/manual-clock.ts";
import { tempDir } from "../../testing/temp-dir.ts";
import { Journal } from "../chain/testing/journal.ts";
import { never, order, SOL } from "../chain/testing/test-launchpad.ts";
import { SandboxError } from "../errors.ts";
import { readable } from "../testing/readable.ts";
import { decodeTokenAccount, deriveKeypair, poolAccounts } from "./accounts.ts";
import { TOTAL_SUPPLY } from "./curve.ts";
import { localLaunchpad } from "./local-launchpad.ts";

const secret = new Uint8Array(32).fill(9);

function openMarket(ledgerPath = ":memory:", graduationLamports = 85n * SOL) {
  const clock = new MovableClock();
  const chain = LocalChain.open({ ledgerPath, clock });
  const { launchpad, sandbox } = localLaunchpad({
    chain,
    clock,
    secret,
    feeBps: 100,
    graduationLamports,
  });
  return { clock, chain, launchpad, sandbox };
}

async function openToken(market = openMarket()) {
  const wallet = Keypair.generate().publicKey.toBase58();
  const token = await market.launchpad.deploy(order(wallet), new Journal(), never);
  const accounts = poolAccounts(token);
  const trader = deriveKeypair(secret, "trader").publicKey;
  const amount = (address: PublicKey) =>
    decodeTokenAccount(market.chain.getAccount(address))?.amount ?? 0n;
  const read = () => ({
    pool: amount(accounts.quoteVault),
    tokens: amount(accounts.baseVault),
    held: amount(getAssociatedTokenAddressSync(accounts.mint, trader)),
    curveFees: amount(accounts.curveFeeVault),
    liquidityFees: amount(accounts.liquidityFeeVault),
  });
  return { ...market, wallet, token, read };
}

describe("trade", () => {
  test("moves SOL into the pool, tokens to the trader and the fee to the agent", async () => {
    const { sandbox, token, read, chain } = await openToken();
    const trade = await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    expect(trade).toEqual({
      signature: trade.signature,
      tokens: 34_277_831_558_567n,
      creatorFeeLamports: SOL / 100n,
      isMigrated: false,
    });
    expect(chain.getTransaction(trade.signature)?.error).toBeNull();
    expect(read()).toEqual({
      pool: (SOL * 99n) / 100n,
      tokens: TOTAL_SUPPLY - trade.tokens,
      held: trade.tokens,
      curveFees: SOL / 100n,
      liquidityFees: 0n,
    });
  });

  test("sells everything that was bought, and no more", async () => {
    const { sandbox, token, read } = await openToken();
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    const most = read().pool;
    const tooMuch = sandbox.trade({ ...token, side: "sell", lamports: most + 1n });
    await expect(tooMuch).rejects.toThrow("so at most that can be taken out");
    await sandbox.trade({ ...token, side: "sell", lamports: most - 1n });
    expect(read().pool).toBe(1n);
  });

  test("refuses to sell what the trader does not hold", async () => {
    const { sandbox, token, chain, read } = await openToken();
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    // Another wallet pays into the pool: the pool holds more than the trader's tokens are worth.
    const { quoteVault } = poolAccounts(token);
    chain.airdrop(quoteVault, SOL);
    await sandbox.trade({ ...token, side: "buy", lamports: 1_000n });
    const sale = sandbox.trade({ ...token, side: "sell", lamports: read().pool });
    await expect(sale).rejects.toThrow("The chain refuses it");
  });

  test("carries out equal trades in one slot as several", async () => {
    const { sandbox, token, read } = await openToken();
    const trades = await Promise.all(
      Array.from({ length: 20 }, () => sandbox.trade({ ...token, side: "buy", lamports: SOL })),
    );
    expect(new Set(trades.map(({ signature }) => signature)).size).toBe(20);
    expect(read()).toMatchObject({ pool: (20n * SOL * 99n) / 100n, curveFees: SOL / 5n });
    const bought = trades.reduce((sum, { tokens }) => sum + tokens, 0n);
    expect(read().held).toBe(bought);
  });

  test.each([
    ["of one lamport", 1n, "buy no token"],
    ["of more tokens than the pool holds", 100_000n * SOL, "The chain refuses it"],
  ] as const)("refuses a buy %s", async (_, lamports, text) => {
    const { sandbox, token } = await openToken();
    await expect(sandbox.trade({ ...token, side: "buy", lamports })).rejects.toThrow(text);
  });

  test("refuses an unknown token", async () => {
    const { sandbox } = openMarket();
    const tokenMint = Keypair.generate().publicKey.toBase58();
    const trade = sandbox.trade({ tokenMint, poolAddress: tokenMint, side: "buy", lamports: SOL });
    await expect(trade).rejects.toThrow("is not on this chain");
  });

  test("creates and loses no lamport and no token, and lowers the product, in no sequence", async () => {
    const market = openMarket();
    /** For a threshold of 85 SOL. */
    const product = ({ pool, tokens }: { pool: bigint; tokens: bigint }) =>
      (30n * SOL + pool) * (73_000_000_000_000n + tokens);
    const trade = fc.record({
      side: fc.constantFrom<"buy" | "sell">("buy", "sell"),
      lamports: fc.oneof(
        fc.bigInt({ min: 1n, max: 1_000n }),
        fc.bigInt({ min: 1n, max: 60n * SOL }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(trade, { maxLength: 12 }), async (trades) => {
        const { sandbox, token, read, launchpad, wallet } = await openToken(market);
        let [paid, fees, isMigrated] = [0n, 0n, false];
        for (const { side, lamports } of trades) {
          const before = read();
          const done = await sandbox.trade({ ...token, side, lamports }).catch((error) => {
            expect(error).toBeInstanceOf(SandboxError);
            return null;
          });
          const after = read();
          if (!done) {
            expect(after).toEqual(before);
            continue;
          }
          fees += done.creatorFeeLamports;
          paid += side === "buy" ? lamports : done.creatorFeeLamports - lamports;
          expect(product(after)).toBeGreaterThanOrEqual(product(before));
          expect(after.tokens + after.held).toBe(TOTAL_SUPPLY);
          expect(after.pool + after.curveFees + after.liquidityFees).toBe(paid);
          expect(after.curveFees + after.liquidityFees).toBe(fees);
          // A migrated pool stays migrated, and its curve earns no more fees.
          expect(done.isMigrated).toBe(isMigrated || after.pool >= 85n * SOL);
          if (isMigrated) expect(after.curveFees).toBe(before.curveFees);
          isMigrated = done.isMigrated;
        }
        const [reported] = readable(await launchpad.readFees(wallet, [token]));
        expect(reported?.isMigrated).toBe(isMigrated);
        expect((reported?.bondingCurve.total ?? 0n) + (reported?.liquidityPool.total ?? 0n)).toBe(
          fees,
        );
      }),
      { numRuns: 25 },
    );
  });
});

describe("graduate", () => {
  test("buys just what is missing, with fees to the curve and later ones to the pool", async () => {
    const { sandbox, token, read } = await openToken();
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    const graduation = await sandbox.graduate(token);
    expect(graduation.isMigrated).toBe(true);
    const curveFees = SOL / 100n + graduation.creatorFeeLamports;
    expect(read()).toMatchObject({ pool: 85n * SOL, curveFees, liquidityFees: 0n });
    await sandbox.trade({ ...token, side: "buy", lamports: SOL });
    await sandbox.trade({ ...token, side: "sell", lamports: SOL });
    expect(read()).toMatchObject({ curveFees, liquidityFees: SOL / 50n });
    await expect(sandbox.graduate(token)).rejects.toThrow("has graduated already");
  });

  test("does not change the price", async () => {
    const { sandbox, token } = await openToken();
    await sandbox.trade({ ...token, side: "buy", lamports: 85n * SOL });
    const before = await sandbox.trade({ ...token, side: "buy", lamports: SOL / 10n });
    await sandbox.graduate(token);
    const after = await sandbox.trade({ ...token, side: "buy", lamports: SOL / 10n });
    expect(Number(after.tokens) / Number(before.tokens)).toBeGreaterThan(0.98);
  });

  test("works if the threshold was lowered under what the curve holds", async () => {
    using dir = tempDir();
    const ledger = join(dir.path, "ledger.sqlite");
    const first = await openToken(openMarket(ledger));
    await first.sandbox.trade({ ...first.token, side: "buy", lamports: 10n * SOL });
    first.chain.close();
    const { sandbox, chain, launchpad } = openMarket(ledger, 5n * SOL);
    expect(await sandbox.graduate(first.token)).toMatchObject({ isMigrated: true });
    const [fees] = readable(await launchpad.readFees(first.wallet, [first.token]));
    expect(fees).toMatchObject({
      isMigrated: true,
      bondingCurve: { claimable: SOL / 10n + 10_000n },
    });
    chain.close();
  });
});

describe("airdrop", () => {
  test("of less than the rent works only for a wallet that exists", async () => {
    const { sandbox, chain } = openMarket();
    const wallet = Keypair.generate().publicKey.toBase58();
    await expect(sandbox.airdrop(wallet, 890_879n)).rejects.toThrow("A wallet holds at least");
    const signature = await sandbox.airdrop(wallet, 890_880n);
    expect(chain.getTransaction(signature)?.error).toBeNull();
    await sandbox.airdrop(wallet, 1n);
    expect(chain.getBalance(wallet)).toBe(890_881n);
  });

  test("is refused for the address of a program", async () => {
    const { sandbox } = openMarket();
    const airdrop = sandbox.airdrop(SystemProgram.programId.toBase58(), SOL);
    await expect(airdrop).rejects.toThrow("The chain refuses it");
  });
});

describe("the launch wallet", () => {
  test("never runs out of SOL", async () => {
    const { launchpad, chain } = openMarket();
    const { publicKey } = deriveKeypair(secret, "wallet");
    expect(chain.getBalance(publicKey)).toBe(1_000n * SOL);
    expect(await launchpad.probe()).toMatchObject({ ok: true, walletLamports: 1_000n * SOL });
    await launchpad.deploy(order(), new Journal(), never);
    expect(chain.getBalance(publicKey)).toBeGreaterThan(999n * SOL);
  });
});
