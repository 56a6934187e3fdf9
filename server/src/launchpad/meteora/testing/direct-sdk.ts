import { getTokenProgram } from "@meteora-ag/cp-amm-sdk";
import { TOKEN_PROGRAM_ID } from "@solana/spl-token";
import type { Connection, Keypair, PublicKey } from "@solana/web3.js";
import BN from "bn.js";
import { generateKeypair } from "../../../base/native-keys.ts";
import { liquidityPoolAddress } from "../liquidity-reader.ts";
import type { TestToken } from "./launchpad.ts";
import { meteoraClients } from "./sdk.ts";
import { send } from "./send.ts";

/** Meteora's option for pools whose fee the curve's config sets. */
const CUSTOMIZABLE = 6;
const U64_MAX = new BN("18446744073709551615");

interface DirectTo {
  readonly connection: Connection;
  readonly config: PublicKey;
}

/** What an agent does without the service: it uses Meteora's SDKs as their documentation shows. */
export function directSdk({ connection, config }: DirectTo) {
  const { curve, liquidity } = meteoraClients(connection);

  return {
    /** Launches a token that the agent pays for. @returns the signature */
    async launch(agent: Keypair, uri: string): Promise<string> {
      const mint = generateKeypair();
      const { instructions } = await curve.creator.createPool({
        name: "Agent Coin",
        symbol: "AGENT",
        uri,
        payer: agent.publicKey,
        poolCreator: agent.publicKey,
        config,
        baseMint: mint.publicKey,
      });
      return send(connection, instructions, [agent, mint]);
    },

    /** Claims a curve's fees. @returns the signature */
    async claimCurve(agent: Keypair, pool: PublicKey): Promise<string> {
      const { instructions } = await curve.creator.claimCreatorTradingFee({
        creator: agent.publicKey,
        payer: agent.publicKey,
        pool,
        maxBaseAmount: U64_MAX,
        maxQuoteAmount: U64_MAX,
      });
      return send(connection, instructions, [agent]);
    },

    /** Claims the fees of the agent's position in the pool after the curve. @returns the signature */
    async claimPosition(agent: Keypair, { mint }: TestToken): Promise<string> {
      const pool = liquidityPoolAddress(CUSTOMIZABLE, mint);
      const [held] = await liquidity.getUserPositionByPool(pool, agent.publicKey);
      if (!held) throw new Error("the agent has no position");
      const state = await liquidity.fetchPoolState(pool);
      const { instructions } = await liquidity.claimPositionFee({
        owner: agent.publicKey,
        position: held.position,
        pool,
        positionNftAccount: held.positionNftAccount,
        tokenAMint: state.tokenAMint,
        tokenBMint: state.tokenBMint,
        tokenAVault: state.tokenAVault,
        tokenBVault: state.tokenBVault,
        tokenAProgram: getTokenProgram(state.tokenAFlag),
        tokenBProgram: TOKEN_PROGRAM_ID,
      });
      return send(connection, instructions, [agent]);
    },
  };
}
