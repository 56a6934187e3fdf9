import {
  ACCOUNT_SIZE,
  AuthorityType,
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  MINT_SIZE,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { type Connection, PublicKey, SystemProgram, TransactionInstruction } from "@solana/web3.js";
import { TOKEN_DECIMALS } from "@tokenctl/shared/limits";
import type { FirstBuy } from "@tokenctl/shared/programs/recipes";
import { SANDBOX_INSTRUCTION } from "@tokenctl/shared/programs/sandbox";
import { BoundedMap } from "../../base/cache.ts";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { ChainUnavailableError, CreatorChangedError, LaunchRefusedError } from "../errors.ts";
import {
  enclosingInstructions,
  NO_FEES,
  type PoolProgram,
  type PoolReading,
  type TokenClaim,
  type TokenFees,
  type UnreadableFees,
  wrappedSolAccount,
} from "../pool-program.ts";
import {
  buyInstructions,
  createFeeVault,
  decodeFeeVault,
  decodeTokenAccount,
  deriveKeypair,
  feeTotals,
  type PoolAccounts,
  poolAccounts,
} from "./accounts.ts";
import { type CurveTerms, curveKnots, marketValue, quoteBuy, TOTAL_SUPPLY } from "./curve.ts";

/** The first instruction that an agent signs: its client recognizes a sandbox by it. */
const MARK = new TransactionInstruction({
  programId: new PublicKey(SANDBOX_INSTRUCTION.program),
  keys: SANDBOX_INSTRUCTION.accounts.map(({ address, ...flags }) => ({
    pubkey: new PublicKey(address),
    ...flags,
  })),
  data: Buffer.from(SANDBOX_INSTRUCTION.data),
});

const WSOL_DECIMALS = 9;
const REMEMBERED = 10_000;

/** Bytes that each account counts besides its data. */
const OVERHEAD_BYTES = 128n;
const ACCOUNT_BYTES = OVERHEAD_BYTES + BigInt(ACCOUNT_SIZE);
/** The bytes of the pool, the mint and three vaults. */
const CREATED_BYTES = 2n * OVERHEAD_BYTES + BigInt(MINT_SIZE) + 3n * ACCOUNT_BYTES;

export interface LocalProgramDeps extends CurveTerms {
  readonly connection: Connection;
  readonly launchWallet: PublicKey;
  readonly secret: Uint8Array;
  /** Lamports that an account of this many bytes must hold. */
  readonly rentExemption: (bytes: number) => bigint;
}

/**
 * The launchpad of the embedded chain. Its pools are keys of the server, not accounts of a program.
 * Mints, vaults and claims, which only the agent signs, are like those of a real cluster.
 */
export function localProgram(deps: LocalProgramDeps): PoolProgram {
  const { connection, launchWallet, secret, rentExemption, feeBps } = deps;
  /** By the pool's address: deriving the vaults' addresses is expensive. */
  const known = new BoundedMap<string, PoolAccounts>(REMEMBERED);
  const accountsOf = (token: TokenRef) =>
    known.getOrMake(token.poolAddress, () => poolAccounts(token));

  async function readFeeVaults(tokens: readonly TokenRef[], beside: readonly PublicKey[] = []) {
    const addresses = tokens.flatMap((token) => {
      const { curveFeeVault, liquidityFeeVault } = accountsOf(token);
      return [curveFeeVault, liquidityFeeVault];
    });
    const accounts = await readAccounts(connection, [...addresses, ...beside]);
    const vaults = tokens.map((_, index) => ({
      curve: decodeFeeVault(accounts[2 * index]),
      liquidity: decodeFeeVault(accounts[2 * index + 1]),
    }));
    return { vaults, others: accounts.slice(addresses.length) };
  }

  function addresses(eventId: string): TokenRef {
    const mint = deriveKeypair(secret, "mint", eventId).publicKey.toBase58();
    // The pool's key is derived from the mint, not from the event: the market knows only the mint.
    const pool = deriveKeypair(secret, "pool", mint).publicKey.toBase58();
    return { tokenMint: mint, poolAddress: pool };
  }

  return {
    addresses,

    async launch(order) {
      const mintKeys = deriveKeypair(secret, "mint", order.eventId);
      const poolKeys = deriveKeypair(secret, "pool", mintKeys.publicKey.toBase58());
      const accounts = poolAccounts(addresses(order.eventId));
      const { pool, mint, baseVault } = accounts;
      const agent = new PublicKey(order.wallet);
      const payer = order.payer === "agent" ? agent : launchWallet;
      const create = (newAccountPubkey: PublicKey, space: number, programId: PublicKey) => {
        const lamports = Number(rentExemption(space));
        const account = { fromPubkey: payer, newAccountPubkey, lamports, space, programId };
        return SystemProgram.createAccount(account);
      };
      const vault = (address: PublicKey, of: PublicKey) =>
        createAssociatedTokenAccountInstruction(payer, address, pool, of);
      return {
        signers: [mintKeys, poolKeys],
        metadataUri: null,
        rentBytes: CREATED_BYTES + (order.firstBuy ? ACCOUNT_BYTES : 0n),
        creationLamports: 0n,
        instructions: [
          ...(order.payer === "agent" ? [MARK] : []),
          create(pool, 0, SystemProgram.programId),
          create(mint, MINT_SIZE, TOKEN_PROGRAM_ID),
          createInitializeMint2Instruction(mint, TOKEN_DECIMALS, pool, null),
          vault(baseVault, mint),
          createMintToInstruction(mint, baseVault, pool, TOTAL_SUPPLY),
          createSetAuthorityInstruction(mint, pool, AuthorityType.MintTokens, null),
          giveRole(baseVault, pool, agent),
          vault(accounts.quoteVault, NATIVE_MINT),
          ...createFeeVault({
            pool,
            kind: "bondingCurve",
            agent,
            payer,
            rentLamports: rentExemption(ACCOUNT_SIZE),
          }),
          ...(order.firstBuy ? firstBuy(accounts, order.firstBuy, { ...deps, payer }) : []),
        ],
      };
    },

    async terms() {
      const fee = { startBps: feeBps, endBps: feeBps, creatorSharePercent: 100 };
      const fees = { bondingCurve: fee, liquidityPool: fee };
      return { config: null, fees, curve: curveKnots(deps) };
    },

    async readFees(agent, tokens) {
      const { vaults } = await readFeeVaults(tokens);
      return vaults.map(({ curve, liquidity }, index): TokenFees | UnreadableFees => {
        if (!curve) return { unreadable: notFound(tokens[index]) };
        const isMigrated = liquidity !== null;
        const holder = curve.delegate;
        if (holder !== agent) {
          const creatorChanged = {
            bondingCurve: holder,
            ...(isMigrated && { liquidityPool: holder }),
          };
          return { bondingCurve: NO_FEES, liquidityPool: NO_FEES, isMigrated, creatorChanged };
        }
        return { bondingCurve: feeTotals(curve), liquidityPool: feeTotals(liquidity), isMigrated };
      });
    },

    async readPools(tokens) {
      const addresses = tokens.flatMap((token) => {
        const { curveFeeVault, liquidityFeeVault, quoteVault, baseVault } = accountsOf(token);
        return [curveFeeVault, liquidityFeeVault, quoteVault, baseVault];
      });
      const accounts = (await readAccounts(connection, addresses)).map(decodeTokenAccount);
      return tokens.map((token, index): PoolReading | UnreadableFees => {
        const [curve, liquidity, quote, base] = accounts.slice(4 * index, 4 * index + 4);
        if (!curve?.delegate || !quote || !base) return { unreadable: notFound(token) };
        const fees = feeTotals(curve);
        const isMigrated = Boolean(liquidity);
        const market = {
          ...marketValue({ lamports: quote.amount, tokens: base.amount }, deps),
          raised: isMigrated ? null : quote.amount,
          goal: deps.graduationLamports,
          earned: fees.total,
          fees: fees.total,
          feeRateAt: () => ({ dividend: BigInt(deps.feeBps), divisor: 10_000n }),
        };
        const creator = curve.delegate;
        const isTheirs = !isMigrated && creator === token.wallet;
        return { isMigrated, creator, claimable: isTheirs ? fees.claimable : 0n, market };
      });
    },

    async claim(agent, tokens, options) {
      const wallet = new PublicKey(agent);
      const wrapped = wrappedSolAccount(wallet);
      const { vaults: all, others } = await readFeeVaults(tokens, [wrapped]);
      const holders = all.flatMap(({ curve }) => curve?.delegate ?? []);
      const [holder] = holders;
      if (holder === undefined) throw new ChainUnavailableError(notFound(tokens[0]));
      if (!holders.includes(agent)) throw new CreatorChangedError({ bondingCurve: holder });
      const claims = tokens.flatMap((token, index): TokenClaim[] => {
        const { curve, liquidity } = all[index] ?? {};
        if (curve?.delegate !== agent) return [];
        const { curveFeeVault, liquidityFeeVault } = accountsOf(token);
        const taken = [
          [curveFeeVault, curve.amount] as const,
          [liquidityFeeVault, liquidity?.amount ?? 0n] as const,
        ].filter(([, amount]) => amount > 0n);
        const lamports = taken.reduce((sum, [, amount]) => sum + amount, 0n);
        const take = createTransferCheckedInstruction;
        const instructions = taken.map(([vault, amount]) =>
          take(vault, NATIVE_MINT, wrapped, wallet, amount, WSOL_DECIMALS),
        );
        return instructions.length === 0 ? [] : [{ token, lamports, instructions }];
      });
      if (claims.length === 0) return null;
      const hasWrappedSol = decodeTokenAccount(others[0]) !== null;
      const { first, last } = enclosingInstructions(wallet, hasWrappedSol, options);
      return { first: [MARK, ...first], tokens: claims, last };
    },

    async handOver(agent, token, to) {
      const [{ curve } = {}] = (await readFeeVaults([token])).vaults;
      if (!curve) throw new ChainUnavailableError(notFound(token));
      const holder = curve.delegate;
      if (holder !== agent) throw new CreatorChangedError({ bondingCurve: holder });
      const { baseVault } = accountsOf(token);
      return [MARK, giveRole(baseVault, new PublicKey(holder), new PublicKey(to))];
    },

    sourceOf(vault, tokens) {
      for (const token of tokens) {
        const { curveFeeVault, liquidityFeeVault } = accountsOf(token);
        const { tokenMint } = token;
        if (vault === curveFeeVault.toBase58()) return { tokenMint, kind: "bondingCurve" };
        if (vault === liquidityFeeVault.toBase58()) return { tokenMint, kind: "liquidityPool" };
      }
      return null;
    },

    checkConfig: async () => null,
  };
}

function firstBuy(
  accounts: PoolAccounts,
  { lamports, minUnits }: FirstBuy,
  { payer, ...terms }: CurveTerms & { readonly payer: PublicKey },
): TransactionInstruction[] {
  const quote = quoteBuy({ lamports: 0n, tokens: TOTAL_SUPPLY }, lamports, terms);
  if (quote.tokens < minUnits) throw new LaunchRefusedError("The first buy would buy too little");
  if (quote.lamports >= terms.graduationLamports) {
    throw new LaunchRefusedError("The first buy would take all that the curve sells");
  }
  return buyInstructions(accounts, { buyer: payer, feeVault: accounts.curveFeeVault, quote });
}

/**
 * Transfers the role of a pool's creator: the authority to close the pool's vault of tokens, which
 * is never empty. The pool then approves the new creator for its fees; see `localSandbox`.
 */
function giveRole(baseVault: PublicKey, from: PublicKey, to: PublicKey): TransactionInstruction {
  return createSetAuthorityInstruction(baseVault, from, AuthorityType.CloseAccount, to);
}

function notFound(token: TokenRef | undefined): string {
  return `The pool ${token?.poolAddress} was not found`;
}
