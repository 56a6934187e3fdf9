import { PublicKey, SystemProgram } from "@solana/web3.js";
import type { TransactionVersion } from "@tokenctl/shared/words";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import type { ChainContext } from "../chain/context.ts";
import {
  BuildError,
  ChainUnavailableError,
  CreatorChangedError,
  ReceiverRefusedError,
} from "../errors.ts";
import { compose, type UnsignedTransaction } from "./compose.ts";
import { readFunds } from "./funds.ts";

export interface HandOverOrder {
  readonly agent: string;
  readonly token: TokenRef;
  readonly to: string;
  /** Allows a receiver that is not a wallet. */
  readonly force: boolean;
  readonly transactionVersion?: TransactionVersion | undefined;
}

export interface UnsignedHandOver extends UnsignedTransaction {
  readonly networkFee: bigint;
  /** Lamports of rent for the receiver's account; the agent does not get them back. */
  readonly rent: bigint;
}

export async function buildHandOver(
  chain: ChainContext,
  { agent, token, to, force, transactionVersion: version = "legacy" }: HandOverOrder,
): Promise<UnsignedHandOver> {
  if (!force) await refuseUnlessWallet(chain, new PublicKey(to));
  const payer = new PublicKey(agent);
  const instructions = await withRpcErrors(() => chain.program.handOver(agent, token, to)).catch(
    (error) => {
      if (error instanceof ChainUnavailableError || error instanceof CreatorChangedError)
        throw error;
      const text = "The hand-over cannot be built from what is on chain";
      throw new BuildError("hand_over", text, error);
    },
  );
  const of = { kind: "hand_over", payer, instructions } as const;
  const { rent } = await readFunds(chain, of);
  const unsigned = await compose(chain, {
    kind: "hand_over",
    version,
    signers: [payer],
    instructions,
    funds: (minContextSlot) => readFunds(chain, { ...of, minContextSlot }),
  });
  return { ...unsigned, rent };
}

async function refuseUnlessWallet({ connection }: ChainContext, to: PublicKey): Promise<void> {
  if (!PublicKey.isOnCurve(to)) {
    throw new ReceiverRefusedError(`No keypair can sign for ${to}: it is an address of a program`);
  }
  const [account] = await withRpcErrors(() => readAccounts(connection, [to]));
  if (account?.executable) throw new ReceiverRefusedError(`${to} is a program`);
  const isWallet = account?.owner.equals(SystemProgram.programId) && account.data.length === 0;
  if (account && !isWallet) {
    throw new ReceiverRefusedError(`${to} is an account of the program ${account.owner}`);
  }
}
