import { TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { type Connection, PublicKey } from "@solana/web3.js";
import { buysFirstAtLowestFee } from "@tokenctl/shared/programs/curve-terms";
import { onChainNameOf, onChainSymbol } from "@tokenctl/shared/token-name";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { PoolTerms, TokenRef } from "../../domain/token.ts";
import { ChainUnavailableError, CreatorChangedError } from "../errors.ts";
import {
  type ClaimOptions,
  enclosingInstructions,
  type NewToken,
  NO_FEES,
  type PoolProgram,
  type TokenClaim,
  type TokenFees,
  type UnreadableFees,
  wrappedSolAccount,
} from "../pool-program.ts";
import { checkConfig } from "./check-config.ts";
import { claimInstructions, hasAccountFor, sourceOf, tokenAccounts } from "./claim.ts";
import { handOverInstructions } from "./hand-over.ts";
import {
  curvePoolAddress,
  launchInstructions,
  launchPrice,
  metadataUri,
  mintKeypair,
} from "./launch.ts";
import {
  creatorChange,
  curveFees,
  type HeldToken,
  HoldingReader,
  isLost,
  liquidityFees,
} from "./liquidity-reader.ts";
import { MarketReader } from "./market-reader.ts";
import { poolTerms, readPoolTerms } from "./pool-terms.ts";
import {
  type AccountFault,
  type Curve,
  CurveReader,
  creatorHasPosition,
  tokenProgramOf,
} from "./programs.ts";

export interface MeteoraDeps {
  readonly connection: Connection;
  /** Pays for launches for which no agent does, and makes their pools; null if agents pay for all. */
  readonly launchWallet: PublicKey | null;
  /** The DBC config under which new pools are made: `tokend config create`. */
  readonly config: PublicKey;
  /** The mints' keys are derived from it; at least 32 bytes, never changes. */
  readonly secret: Uint8Array;
  /** The URL under which the metadata documents are read: the server's, unless another is set. */
  readonly publicUrl: string;
}

const hasCreatorPosition = ({ config }: Curve) => creatorHasPosition(config);

/** The launchpad of real clusters: Meteora's Dynamic Bonding Curve, then its DAMM v2. */
export function meteoraProgram(deps: MeteoraDeps): PoolProgram {
  const { connection, launchWallet, config, secret, publicUrl } = deps;
  const curves = new CurveReader(connection);
  const holdings = new HoldingReader(connection);
  const markets = new MarketReader(connection, curves);

  // A config never changes: it is read once, by the server's first check.
  let terms: PoolTerms | null = null;

  return {
    addresses(eventId: string): TokenRef {
      const mint = mintKeypair(secret, eventId).publicKey;
      const pool = curvePoolAddress(config, mint);
      return { tokenMint: mint.toBase58(), poolAddress: pool.toBase58() };
    },

    async launch(order: LaunchOrder): Promise<NewToken> {
      const payer = order.payer === "agent" ? new PublicKey(order.wallet) : launchWallet;
      if (payer === null) throw new Error("there is no launch wallet");
      const mint = mintKeypair(secret, order.eventId);
      const terms = await curves.readConfig(config);
      if (terms instanceof Error) {
        const problem = await checkConfig(deps);
        throw problem === null ? terms : new ChainUnavailableError(problem, terms);
      }
      const tokenProgram = tokenProgramOf(terms.tokenType);
      const uri = metadataUri(publicUrl, mint.publicKey.toBase58());
      const atLowestFee = buysFirstAtLowestFee(terms);
      const of = { order, mint: mint.publicKey, uri, config, tokenProgram, payer, atLowestFee };
      const instructions = launchInstructions(of);
      const texts = onChainNameOf(order) + onChainSymbol(order.ticker) + uri;
      const price = launchPrice(tokenProgram, Buffer.byteLength(texts), Boolean(order.firstBuy));
      return {
        instructions,
        signers: [mint],
        metadataUri: uri,
        rentBytes: price.rentBytes,
        creationLamports: price.creationLamports + terms.poolCreationFee,
      };
    },

    async terms() {
      terms ??= await readPoolTerms(connection, config);
      return terms;
    },

    async readFees(agent: string, tokens: readonly TokenRef[]) {
      if (tokens.length === 0) return [];
      const found = await curves.read(tokens);
      const held = await holdings.read(new PublicKey(agent), found, hasCreatorPosition);
      return held.map((one): TokenFees | UnreadableFees => {
        if (one instanceof Error) return { unreadable: one.message };
        const { curve, holding } = one;
        const change = creatorChange(curve, holding, agent);
        return {
          bondingCurve: curveFees(curve, agent),
          liquidityPool: holding ? liquidityFees(holding.pool, holding.positions) : NO_FEES,
          isMigrated: curve.pool.isMigrated !== 0,
          ...(change && { creatorChanged: change }),
        };
      });
    },

    readPools: (tokens) => markets.read(tokens),

    async readCreators(tokens) {
      const found = await curves.read(tokens);
      return found.map((curve) => (curve instanceof Error ? null : curve.pool.creator));
    },

    async claim(agent: string, tokens: readonly TokenRef[], options?: ClaimOptions) {
      const wallet = new PublicKey(agent);
      const parties = { agent: wallet, ...options };
      const candidates = tokens.flatMap((token) => tokenAccounts(wallet, token));
      const { found, accounts } = await curves.readBeside(tokens, [
        wrappedSolAccount(wallet),
        ...candidates,
      ]);
      const held = await holdings.read(wallet, found, hasCreatorPosition);
      const [wrappedSol, ...ofTokens] = accounts;
      const faults: Error[] = [];
      const lost: Error[] = [];
      const claims: TokenClaim[] = [];
      for (const [index, token] of tokens.entries()) {
        const one = held[index] as HeldToken | AccountFault;
        if (one instanceof Error) {
          faults.push(one);
          continue;
        }
        const { curve, holding } = one;
        const claimed = { ...one, hasAccount: hasAccountFor(curve, ofTokens, index) };
        const claim = claimInstructions(parties, claimed);
        if (claim) claims.push({ token, ...claim });
        else {
          const change = creatorChange(curve, holding, agent);
          if (isLost(curve, change)) lost.push(new CreatorChangedError(change));
        }
      }
      if (faults[0] && faults.length === tokens.length) throw faults[0];
      if (lost[0] && lost.length === tokens.length) throw lost[0];
      if (claims.length === 0) return null;
      const hasWrappedSol = wrappedSol?.owner.equals(TOKEN_PROGRAM_ID) === true;
      return { ...enclosingInstructions(parties, hasWrappedSol), tokens: claims };
    },

    async handOver(agent: string, token: TokenRef, to: string) {
      const wallet = new PublicKey(agent);
      const [held] = await holdings.read(wallet, await curves.read([token]), hasCreatorPosition);
      if (!held || held instanceof Error) throw held;
      return handOverInstructions(connection, { agent: wallet, to: new PublicKey(to) }, held);
    },

    sourceOf,

    checkConfig: (through = connection) =>
      checkConfig({ ...deps, connection: through }, (read) => {
        terms ??= poolTerms(config, read);
      }),
  };
}
