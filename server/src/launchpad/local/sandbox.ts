import {
  ACCOUNT_SIZE,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
} from "@solana/spl-token";
import {
  ComputeBudgetProgram,
  type Keypair,
  PublicKey,
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
  buyInstructions,
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

export type Sandbox = ReturnType<typeof localSandbox>;

export interface SandboxOrder extends TokenRef {
  readonly side: "buy" | "sell";
  /** What a buyer pays in total, or the worth of the sold tokens. */
  readonly lamports: bigint;
}

export interface SandboxOptions extends CurveTerms {
  readonly chain: LocalChain;
  readonly secret: Uint8Array;
}

/** Lamports for the rent and the network fees of any trade. */
const TRADER_RESERVE = 1_000_000_000n;
/** Lamports that buy something on every curve. */
const SMALL_BUY = 1_000_000n;
/** More compute units than any trade needs. */
const COMPUTE_UNITS = 400_000;

/**
 * The embedded chain's market: a trader with unlimited SOL that trades by real transactions. No
 * `await` separates reading and changing a pool, so parallel trades cannot interfere.
 */
export function localSandbox({ chain, secret, ...terms }: SandboxOptions) {
  const trader = deriveKeypair(secret, "trader");
  const { publicKey } = trader;
  const poolKey = (mint: PublicKey | string) => deriveKeypair(secret, "pool", String(mint));

  const fund = (lamports: bigint) => {
    const wanted = lamports + TRADER_RESERVE;
    if (chain.getBalance(publicKey) < wanted) chain.airdrop(publicKey, wanted);
  };

  const send = (pool: Keypair, instructions: readonly TransactionInstruction[]): string => {
    // Otherwise two equal trades in one slot would be one transaction, which lands once.
    const units = COMPUTE_UNITS + (chain.transactions.count() % 1_000_000);
    const all = [...instructions, ComputeBudgetProgram.setComputeUnitLimit({ units })];
    const { blockhash } = chain.latestBlockhash();
    return orRefusal(() => chain.sendTransaction(signedBytes([trader, pool], blockhash, all)));
  };

  /** Approves a pool's new creator for its fees; a program would do it with the role's transfer. */
  chain.onChange = (changes: readonly AccountChange[]) => {
    for (const { account } of changes) {
      const baseVault = decodeTokenAccount(account);
      if (!baseVault?.closeAuthority) continue;
      const creator = new PublicKey(baseVault.closeAuthority);
      const pool = new PublicKey(baseVault.owner);
      const approvals = FEE_KINDS.flatMap((kind) => {
        const address = feeVaultAddress(pool, kind);
        const vault = decodeTokenAccount(chain.getAccount(address));
        if (!vault || vault.delegate === baseVault.closeAuthority) return [];
        // The rest of the approval shows what was claimed.
        return createApproveInstruction(address, creator, pool, vault.delegatedAmount);
      });
      const key = poolKey(baseVault.mint);
      if (approvals.length === 0 || !key.publicKey.equals(pool)) continue;
      fund(0n);
      send(key, approvals);
    }
  };

  const migration = ({ accounts: { pool }, agent }: PoolState) =>
    createFeeVault({
      pool,
      kind: "liquidityPool",
      agent,
      payer: publicKey,
      rentLamports: chain.rentExemption(ACCOUNT_SIZE),
    });

  function buy(state: PoolState, paid: bigint) {
    const { accounts, reserves } = state;
    const quote = quoteBuy(reserves, paid, terms);
    if (quote.tokens === 0n) throw new SandboxError(`${formatSol(paid)} SOL buy no token`);
    const isComplete = reserves.lamports + quote.lamports >= terms.graduationLamports;
    const graduates = !state.isMigrated && isComplete;
    fund(paid);
    const signature = send(poolKey(accounts.mint), [
      ...buyInstructions(accounts, { buyer: publicKey, feeVault: feeVaultOf(state), quote }),
      ...(graduates ? migration(state) : []),
    ]);
    return tradeOf(signature, quote, state.isMigrated || graduates);
  }

  function sell(state: PoolState, worth: bigint) {
    const { accounts, reserves } = state;
    if (worth > reserves.lamports) {
      const most = formatSol(reserves.lamports);
      throw new SandboxError(`The pool holds ${most} SOL, so at most that can be taken out`);
    }
    const quote = quoteSell(reserves, worth, terms);
    const holdings = getAssociatedTokenAddressSync(accounts.mint, publicKey);
    const wrapped = getAssociatedTokenAddressSync(NATIVE_MINT, publicKey);
    const { pool, mint, baseVault, quoteVault } = accounts;
    fund(0n);
    const signature = send(poolKey(mint), [
      createAssociatedTokenAccountIdempotentInstruction(publicKey, wrapped, publicKey, NATIVE_MINT),
      createTransferInstruction(holdings, baseVault, publicKey, quote.tokens),
      createTransferInstruction(quoteVault, wrapped, pool, quote.lamports),
      createTransferInstruction(quoteVault, feeVaultOf(state), pool, quote.feeLamports),
      createCloseAccountInstruction(wrapped, publicKey, publicKey),
    ]);
    return tradeOf(signature, quote, state.isMigrated);
  }

  return {
    rpc: createRpcHandler(chain),

    async airdrop(wallet: string, lamports: bigint): Promise<string> {
      const least = chain.rentExemption(0);
      if (chain.getBalance(wallet) + lamports < least) {
        throw new SandboxError(
          `A wallet holds at least ${formatSol(least)} SOL: ask for that or more`,
        );
      }
      return orRefusal(() => chain.airdrop(wallet, lamports));
    },

    async trade({ side, lamports, ...token }: SandboxOrder) {
      const state = readPoolState(chain, token);
      return side === "buy" ? buy(state, lamports) : sell(state, lamports);
    },

    async graduate(token: TokenRef) {
      const state = readPoolState(chain, token);
      if (state.isMigrated) throw new SandboxError("The token has graduated already");
      const missing = terms.graduationLamports - state.reserves.lamports;
      // Nothing is missing if the threshold was lowered to less than the curve holds.
      return buy(state, missing > 0n ? paymentFor(missing, terms.feeBps) : SMALL_BUY);
    },
  };
}

/** @throws {SandboxError} if the chain refuses it: pool or trader hold too little, for example */
function orRefusal(send: () => string): string {
  try {
    return send();
  } catch (error) {
    if (!(error instanceof TransactionRefusedError)) throw error;
    throw new SandboxError(`The chain refuses it (${error.message}): try a smaller amount`);
  }
}

const tradeOf = (signature: string, { tokens, feeLamports }: Quote, isMigrated: boolean) => ({
  signature,
  /** Base units of the token that changed hands. */
  tokens,
  creatorFeeLamports: feeLamports,
  isMigrated,
});

const FEE_KINDS = ["bondingCurve", "liquidityPool"] as const;

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
    throw new SandboxError("The token is not on this chain");
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
