import {
  ACCOUNT_SIZE,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createSyncNativeInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  type Keypair,
  type PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import type { LocalChain } from "../../localnet/chain.ts";
import { createRpcHandler } from "../../localnet/rpc/handler.ts";
import type { TokenRef } from "../launchpad.ts";
import { deriveKeypair, type PoolAccounts, poolAccounts } from "./accounts.ts";
import { paymentFor, type Quote, quoteBuy, quoteSell, type Reserves } from "./curve.ts";
import { createFeeVault } from "./fee-vault.ts";
import { SandboxError } from "./sandbox-error.ts";
import { decodeTokenAccount } from "./token-accounts.ts";

export interface SandboxOptions {
  readonly chain: LocalChain;
  readonly secret: Uint8Array;
  /** The creator's share of each trade, in basis points. */
  readonly feeBps: number;
  /** Lamports in the curve at which a pool migrates. */
  readonly graduationLamports: bigint;
}

export interface Order extends TokenRef {
  readonly side: "buy" | "sell";
  /** What a buyer pays in all, or what the tokens sold are worth. */
  readonly lamports: bigint;
}

export interface Trade {
  readonly signature: string;
  /** Base units that changed hands. */
  readonly tokens: bigint;
  readonly creatorFeeLamports: bigint;
  readonly isMigrated: boolean;
}

/** A pool as it stands at this moment. */
interface Standing {
  readonly accounts: PoolAccounts;
  readonly reserves: Reserves;
  readonly agent: PublicKey;
  readonly isMigrated: boolean;
}

/**
 * The embedded chain's market: a trader with as much SOL as it likes, who trades by real
 * transactions. Reading a pool and changing it happens without a pause in between, so trades side
 * by side cannot meet.
 */
export class LocalSandbox {
  /** Solana's JSON-RPC of the chain. */
  readonly rpc: (request: Request) => Promise<Response>;
  readonly #options: SandboxOptions;
  readonly #trader: Keypair;

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.rpc = createRpcHandler(options.chain);
    this.#trader = deriveKeypair(options.secret, "trader");
  }

  /** @returns the transaction's signature */
  async airdrop(wallet: string, lamports: bigint): Promise<string> {
    return this.#options.chain.airdrop(wallet, lamports);
  }

  /** @throws {SandboxError} the pool or the trader has not that much to give */
  async trade(order: Order): Promise<Trade> {
    const standing = this.#look(order);
    return order.side === "buy"
      ? this.#buy(standing, order.lamports)
      : this.#sell(standing, order.lamports);
  }

  /**
   * Buys what is missing to the threshold, so that the pool migrates.
   *
   * @throws {SandboxError} it has migrated before
   */
  async graduate(token: TokenRef): Promise<Trade> {
    const { graduationLamports, feeBps } = this.#options;
    const standing = this.#look(token);
    if (standing.isMigrated) throw new SandboxError("The token has graduated already");
    return this.#buy(standing, paymentFor(graduationLamports - standing.reserves.lamports, feeBps));
  }

  #buy(standing: Standing, paid: bigint): Trade {
    const quote = quoteBuy(standing.reserves, paid, this.#options.feeBps);
    if (!quote) throw new SandboxError(`The pool has no tokens for ${formatSol(paid)} SOL`);
    const { accounts, reserves } = standing;
    const trader = this.#trader.publicKey;
    const holdings = getAssociatedTokenAddressSync(accounts.mint, trader);
    const pay = (vault: PublicKey, lamports: bigint) => [
      SystemProgram.transfer({ fromPubkey: trader, toPubkey: vault, lamports }),
      createSyncNativeInstruction(vault),
    ];
    const graduates =
      !standing.isMigrated &&
      reserves.lamports + quote.lamports >= this.#options.graduationLamports;
    this.#fund(paid);
    return this.#send(standing, quote, standing.isMigrated || graduates, [
      createAssociatedTokenAccountIdempotentInstruction(trader, holdings, trader, accounts.mint),
      ...pay(accounts.quoteVault, quote.lamports),
      ...pay(feeVaultOf(standing), quote.feeLamports),
      createTransferInstruction(accounts.baseVault, holdings, accounts.pool, quote.tokens),
      ...(graduates ? this.#migrate(standing) : []),
    ]);
  }

  #sell(standing: Standing, worth: bigint): Trade {
    const quote = quoteSell(standing.reserves, worth, this.#options.feeBps);
    const { accounts, reserves } = standing;
    if (!quote) {
      const most = formatSol(reserves.lamports);
      throw new SandboxError(
        `The pool holds ${most} SOL: no more than that can be taken out of it`,
      );
    }
    const trader = this.#trader.publicKey;
    const holdings = getAssociatedTokenAddressSync(accounts.mint, trader);
    const held = decodeTokenAccount(this.#options.chain.getAccount(holdings))?.amount ?? 0n;
    if (held < quote.tokens) {
      throw new SandboxError("The sandbox's trader holds fewer tokens than that: let it buy first");
    }
    const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, trader);
    const { pool, quoteVault } = accounts;
    this.#fund(0n);
    return this.#send(standing, quote, standing.isMigrated, [
      createAssociatedTokenAccountIdempotentInstruction(trader, wrapped, trader, NATIVE_MINT),
      createTransferInstruction(holdings, accounts.baseVault, trader, quote.tokens),
      createTransferInstruction(quoteVault, wrapped, pool, quote.lamports),
      createTransferInstruction(quoteVault, feeVaultOf(standing), pool, quote.feeLamports),
      createCloseAccountInstruction(wrapped, trader, trader),
    ]);
  }

  #migrate({ accounts, agent }: Standing): TransactionInstruction[] {
    return createFeeVault({
      pool: accounts.pool,
      kind: "liquidity",
      agent,
      payer: this.#trader.publicKey,
      rentLamports: this.#options.chain.rentExemption(ACCOUNT_SIZE),
    });
  }

  #look(token: TokenRef): Standing {
    const { chain } = this.#options;
    const accounts = poolAccounts(token);
    const read = (address: PublicKey) => decodeTokenAccount(chain.getAccount(address));
    const base = read(accounts.baseVault);
    const quote = read(accounts.quoteVault);
    const fees = read(accounts.curveFeeVault);
    if (!base || !quote || !fees) throw new SandboxError("The token is not on this chain");
    return {
      accounts,
      reserves: { lamports: quote.amount, tokens: base.amount },
      agent: fees.delegate,
      isMigrated: read(accounts.liquidityFeeVault) !== null,
    };
  }

  /** The trader never lacks SOL: that is what makes it a sandbox. */
  #fund(lamports: bigint): void {
    const { chain } = this.#options;
    const wanted = lamports + TRADER_RESERVE;
    if (chain.getBalance(this.#trader.publicKey) < wanted) {
      chain.airdrop(this.#trader.publicKey, wanted);
    }
  }

  #send(
    { accounts }: Standing,
    quote: Quote,
    isMigrated: boolean,
    instructions: TransactionInstruction[],
  ): Trade {
    const { chain, secret } = this.#options;
    const pool = deriveKeypair(secret, "pool", accounts.mint.toBase58());
    const { blockhash, lastValidBlockHeight } = chain.latestBlockhash();
    const transaction = new Transaction({
      feePayer: this.#trader.publicKey,
      blockhash,
      lastValidBlockHeight,
    });
    // Two like trades in one slot would else be one transaction, which lands once.
    transaction.add(...instructions, uniqueness(chain.transactionCount()));
    transaction.sign(this.#trader, pool);
    return {
      signature: chain.sendTransaction(transaction.serialize()),
      tokens: quote.tokens,
      creatorFeeLamports: quote.feeLamports,
      isMigrated,
    };
  }
}

/** Rent and network fees of any trade, with room. */
const TRADER_RESERVE = 1_000_000_000n;

/** More compute units than a trade needs. */
const COMPUTE_UNITS = 400_000;

/** A limit that no trade reaches tells this trade from others like it. */
function uniqueness(number: number): TransactionInstruction {
  return ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS + (number % 1_000_000) });
}

function feeVaultOf({ accounts, isMigrated }: Standing): PublicKey {
  return isMigrated ? accounts.liquidityFeeVault : accounts.curveFeeVault;
}
