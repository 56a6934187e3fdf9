import { PublicKey } from "@solana/web3.js";
import type { TransactionVersion } from "@tokenctl/shared/words";
import type { TokenRef } from "../../domain/token.ts";
import { readAccounts } from "../../solana/connection.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import type { ChainContext } from "../chain/context.ts";
import {
  BuildError,
  ChainUnavailableError,
  CreatorChangedError,
  NotAWalletError,
} from "../errors.ts";
import { compose } from "./compose.ts";
import { readFunds } from "./funds.ts";
import { isWallet } from "./payout.ts";

export interface HandOverOrder {
  readonly agent: string;
  readonly token: TokenRef;
  readonly to: string;
  readonly transactionVersion?: TransactionVersion | undefined;
}

export type UnsignedHandOver = Awaited<ReturnType<typeof buildHandOver>>;

export async function buildHandOver(
  chain: ChainContext,
  { agent, token, to, transactionVersion: version = "legacy" }: HandOverOrder,
) {
  await refuseUnlessWallet(chain, new PublicKey(to));
  const payer = new PublicKey(agent);
  const instructions = await withRpcErrors(() => chain.program.handOver(agent, token, to)).catch(
    (error) => {
      if (error instanceof ChainUnavailableError || error instanceof CreatorChangedError)
        throw error;
      const text = "The hand-over cannot be built from what is on chain";
      throw new BuildError("hand_over", text, error);
    },
  );
  const kind = "hand_over";
  const { rent } = await readFunds(chain, { kind, payer, instructions });
  const unsigned = await compose(chain, { kind, version, signers: [payer], instructions });
  /** `rent` is for the receiver's account, in lamports; the agent does not get it back. */
  return { ...unsigned, rent };
}

async function refuseUnlessWallet({ connection }: ChainContext, to: PublicKey): Promise<void> {
  const [account] = await withRpcErrors(() => readAccounts(connection, [to]));
  if (!PublicKey.isOnCurve(to) || (account && !isWallet(account))) throw new NotAWalletError("to");
}
