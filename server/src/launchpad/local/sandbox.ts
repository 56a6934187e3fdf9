import {
  ACCOUNT_SIZE,
  createApproveInstruction,
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
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from "@solana/web3.js";
import { formatSol } from "@tokenctl/shared/sol";
import { signedBytes } from "../../base/native-keys.ts";
import type { TokenRef } from "../../domain/token.ts";
import type { AccountChange } from "../../localnet/accounts.ts";
import { type LocalChain, TransactionRefusedError } from "../../localnet/chain.ts";
import { createRpcHandler } from "../../localnet/rpc/handler.ts";
import { SandboxError } from "../errors.ts";
import {
  createFeeVault,
  decodeFeeVault,
  decodeTokenAccount,
  deriveKeypair,
  feeVaultAddress,
  type PoolAccounts,
  poolAccounts,
} from "./accounts.ts";
import {
  type CurveTerms,
  paymentFor,
  type Quote,
  quoteBuy,
  quoteSell,
  type Reserves,
} from "./curve.ts";

/** The part of the sandbox that tests of its users replace. */
export type Sandbox = Pick<LocalSandbox, "airdrop" | "trade" | "graduate" | "rpc">;

export interface SandboxOrder extends TokenRef {
  readonly side: "buy" | "sell";
  /** What a buyer pays in total, or the worth of the sold tokens. */
  readonly lamports: bigint;
}

export interface SandboxTrade {
  readonly signature: string;
  /** Base units of the token that changed hands. */
  readonly tokens: bigint;
  readonly creatorFeeLamports: bigint;
  readonly isMigrated: boolean;
}

export interface SandboxOptions extends CurveTerms {
  readonly chain: LocalChain;
  readonly secret: Uint8Array;
}

/**
 * The embedded chain's market: a trader with unlimited SOL that trades by real transactions. No
 * `await` separates reading and changing a pool, so parallel trades cannot interfere.
 */
export class LocalSandbox {
  readonly rpc: (request: Request) => Promise<Response>;
  readonly #trader: Keypair;

  constructor(private readonly options: SandboxOptions) {
    this.rpc = createRpcHandler(options.chain);
    this.#trader = deriveKeypair(options.secret, "trader");
    options.chain.onChange = (changes) => this.#followRoles(changes);
  }

  /** Approves a pool's new creator for its fees; a program would do it with the role's transfer. */
  #followRoles(changes: readonly AccountChange[]): void {
    const { chain, secret } = this.options;
    for (const { account } of changes) {
      const baseVault = decodeTokenAccount(account);
      if (!baseVault?.closeAuthority) continue;
      const { mint, closeAuthority: creator } = baseVault;
      const pool = new PublicKey(baseVault.owner);
      const vaults = FEE_KINDS.flatMap((kind) => {
        const address = feeVaultAddress(pool, kind);
        const vault = decodeTokenAccount(chain.getAccount(address));
        return vault && vault.delegate !== creator ? [{ address, vault }] : [];
      });
      const key = deriveKeypair(secret, "pool", mint);
      if (vaults.length === 0 || !key.publicKey.equals(pool)) continue;
      this.#fund(0n);
      this.#sign(
        key,
        vaults.map(({ address, vault }) =>
          // The rest of the approval shows what was claimed.
          createApproveInstruction(address, new PublicKey(creator), pool, vault.delegatedAmount),
        ),
      );
    }
  }

  async airdrop(wallet: string, lamports: bigint): Promise<string> {
    const { chain } = this.options;
    const least = chain.rentExemption(0);
    if (chain.getBalance(wallet) + lamports < least) {
      throw new SandboxError(
        "amount_too_small",
        `A wallet holds at least ${formatSol(least)} SOL: ask for that or more`,
      );
    }
    try {
      return chain.airdrop(wallet, lamports);
    } catch (error) {
      if (!(error instanceof TransactionRefusedError)) throw error;
      throw new SandboxError("airdrop_refused", `The chain refused the airdrop (${error.message})`);
    }
  }

  async trade(order: SandboxOrder): Promise<SandboxTrade> {
    const state = readPoolState(this.options.chain, order);
    return order.side === "buy"
      ? this.#buy(state, order.lamports)
      : this.#sell(state, order.lamports);
  }

  async graduate(token: TokenRef): Promise<SandboxTrade> {
    const { graduationLamports, feeBps } = this.options;
    const state = readPoolState(this.options.chain, token);
    if (state.isMigrated) {
      throw new SandboxError("already_migrated", "The token has graduated already");
    }
    const missing = graduationLamports - state.reserves.lamports;
    if (missing > 0n) return this.#buy(state, paymentFor(missing, feeBps));
    // The threshold was lowered to less than the curve holds.
    this.#fund(0n);
    return this.#send({ ...state, isMigrated: true }, NOTHING, this.#migrate(state));
  }

  #buy(state: PoolState, paid: bigint): SandboxTrade {
    const quote = quoteBuy(state.reserves, paid, this.options);
    if (quote.tokens === 0n) {
      throw new SandboxError("amount_too_small", `${formatSol(paid)} SOL buy no token`);
    }
    if (quote.tokens > state.reserves.tokens) {
      throw new SandboxError(
        "pool_exhausted",
        `The pool has too few tokens left for ${formatSol(paid)} SOL: buy for less`,
      );
    }
    const { accounts, reserves } = state;
    const trader = this.#trader.publicKey;
    const holdings = getAssociatedTokenAddressSync(accounts.mint, trader);
    const pay = (vault: PublicKey, lamports: bigint) => [
      SystemProgram.transfer({ fromPubkey: trader, toPubkey: vault, lamports }),
      createSyncNativeInstruction(vault),
    ];
    const graduates =
      !state.isMigrated && reserves.lamports + quote.lamports >= this.options.graduationLamports;
    this.#fund(paid);
    return this.#send({ ...state, isMigrated: state.isMigrated || graduates }, quote, [
      createAssociatedTokenAccountIdempotentInstruction(trader, holdings, trader, accounts.mint),
      ...pay(accounts.quoteVault, quote.lamports),
      ...pay(feeVaultOf(state), quote.feeLamports),
      createTransferInstruction(accounts.baseVault, holdings, accounts.pool, quote.tokens),
      ...(graduates ? this.#migrate(state) : []),
    ]);
  }

  #sell(state: PoolState, worth: bigint): SandboxTrade {
    const { accounts, reserves } = state;
    if (worth > reserves.lamports) {
      const most = formatSol(reserves.lamports);
      throw new SandboxError(
        "pool_exhausted",
        `The pool holds ${most} SOL, so at most that can be taken out`,
      );
    }
    const quote = quoteSell(reserves, worth, this.options);
    const trader = this.#trader.publicKey;
    const holdings = getAssociatedTokenAddressSync(accounts.mint, trader);
    const held = decodeTokenAccount(this.options.chain.getAccount(holdings))?.amount ?? 0n;
    if (held < quote.tokens) {
      throw new SandboxError(
        "insufficient_holdings",
        `The sandbox's trader holds tokens worth less than ${formatSol(worth)} SOL: let it buy first, or sell less`,
      );
    }
    const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, trader);
    const { pool, quoteVault } = accounts;
    this.#fund(0n);
    return this.#send(state, quote, [
      createAssociatedTokenAccountIdempotentInstruction(trader, wrapped, trader, NATIVE_MINT),
      createTransferInstruction(holdings, accounts.baseVault, trader, quote.tokens),
      createTransferInstruction(quoteVault, wrapped, pool, quote.lamports),
      createTransferInstruction(quoteVault, feeVaultOf(state), pool, quote.feeLamports),
      createCloseAccountInstruction(wrapped, trader, trader),
    ]);
  }

  #migrate({ accounts, agent }: PoolState): TransactionInstruction[] {
    return createFeeVault({
      pool: accounts.pool,
      kind: "liquidityPool",
      agent,
      payer: this.#trader.publicKey,
      rentLamports: this.options.chain.rentExemption(ACCOUNT_SIZE),
    });
  }

  #fund(lamports: bigint): void {
    const { chain } = this.options;
    const wanted = lamports + TRADER_RESERVE;
    if (chain.getBalance(this.#trader.publicKey) < wanted) {
      chain.airdrop(this.#trader.publicKey, wanted);
    }
  }

  #send(
    { accounts, isMigrated }: Pick<PoolState, "accounts" | "isMigrated">,
    quote: Quote,
    instructions: TransactionInstruction[],
  ): SandboxTrade {
    const pool = deriveKeypair(this.options.secret, "pool", accounts.mint.toBase58());
    return {
      signature: this.#sign(pool, instructions),
      tokens: quote.tokens,
      creatorFeeLamports: quote.feeLamports,
      isMigrated,
    };
  }

  #sign(pool: Keypair, instructions: TransactionInstruction[]): string {
    const { chain } = this.options;
    const { blockhash, lastValidBlockHeight } = chain.latestBlockhash();
    const transaction = new Transaction({
      feePayer: this.#trader.publicKey,
      blockhash,
      lastValidBlockHeight,
    });
    // Otherwise two equal trades in one slot would be one transaction, which lands once.
    transaction.add(...instructions, uniqueness(chain.transactions.count()));
    return chain.sendTransaction(signedBytes(transaction, [this.#trader, pool]));
  }
}

const FEE_KINDS = ["bondingCurve", "liquidityPool"] as const;

const NOTHING: Quote = { lamports: 0n, tokens: 0n, feeLamports: 0n };

/** Lamports for the rent and the network fees of any trade. */
const TRADER_RESERVE = 1_000_000_000n;

/** More compute units than any trade needs. */
const COMPUTE_UNITS = 400_000;

/** Makes equal trades different transactions, by a unit limit that no trade reaches. */
function uniqueness(number: number): TransactionInstruction {
  return ComputeBudgetProgram.setComputeUnitLimit({ units: COMPUTE_UNITS + (number % 1_000_000) });
}

interface PoolState {
  readonly accounts: PoolAccounts;
  readonly reserves: Reserves;
  readonly agent: PublicKey;
  readonly isMigrated: boolean;
}

function readPoolState(chain: LocalChain, token: TokenRef): PoolState {
  const accounts = poolAccounts(token);
  const read = (address: PublicKey) => decodeTokenAccount(chain.getAccount(address));
  const base = read(accounts.baseVault);
  const quote = read(accounts.quoteVault);
  const fees = decodeFeeVault(chain.getAccount(accounts.curveFeeVault));
  if (!base || !quote || !fees) {
    throw new SandboxError("unknown_token", "The token is not on this chain");
  }
  return {
    accounts,
    reserves: { lamports: quote.amount, tokens: base.amount },
    agent: new PublicKey(fees.delegate),
    isMigrated: read(accounts.liquidityFeeVault) !== null,
  };
}

function feeVaultOf({ accounts, isMigrated }: PoolState): PublicKey {
  return isMigrated ? accounts.liquidityFeeVault : accounts.curveFeeVault;
}
