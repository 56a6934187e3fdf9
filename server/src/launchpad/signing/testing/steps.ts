import type { Keypair } from "@solana/web3.js";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { systemClock } from "../../../base/clock.ts";
import type { HandedOut, Signed } from "../../../domain/signing.ts";
import { nameOf, signWithKeys } from "../../../solana/message.ts";
import { keypairSigner } from "../../../solana/wallet-signer.ts";
import type { ChainLaunchpadOptions } from "../../chain/context.ts";
import { unsent } from "../../chain/testing/journal.ts";
import {
  never,
  type WholeLaunchpad,
  WIDE_LIMITS,
  wholeLaunchpad,
} from "../../chain/testing/test-launchpad.ts";
import type { TestLaunchpad } from "../../meteora/testing/launchpad.ts";
import type { MigrationProgram } from "../../pool-program.ts";
import type { UnsignedTransaction } from "../compose.ts";
import type { Signing } from "../signing.ts";

export function launchpadOn(
  { cluster, launchWallet, program }: TestLaunchpad,
  others: Partial<ChainLaunchpadOptions> = {},
  migrations?: MigrationProgram,
): WholeLaunchpad {
  const own = {
    connection: cluster.connection,
    wallet: keypairSigner(launchWallet),
    program,
    clock: systemClock,
    limits: WIDE_LIMITS,
    feeCaps: WIDE_LIMITS,
    confirmer: { tickMs: 1 },
  };
  return wholeLaunchpad({ ...own, ...others }, migrations);
}

/** Signs as agents do: the message as it is. By default a claim. */
export function signBy(
  agent: Keypair,
  {
    transaction: unsigned,
    lastValidBlockHeight,
    tokens = [],
  }: Pick<UnsignedTransaction, "transaction" | "lastValidBlockHeight"> &
    Partial<Pick<HandedOut, "tokens">>,
  about: Partial<HandedOut> = {},
): Signed {
  const transaction = signWithKeys(unsigned, [agent]);
  const signature = nameOf(transaction);
  const wallet = agent.publicKey.toBase58();
  const bytes = { signature, transaction, lastValidBlockHeight };
  return { kind: "claim", agent: wallet, tokens, ...bytes, ...about };
}

export async function cosigned(launchpad: Signing, signed: Signed): Promise<Signed> {
  if (!isJoint(signed)) return signed;
  return { ...signed, ...(await launchpad.cosign(signed)) };
}

function isJoint({ transaction }: Signed): boolean {
  return splitTransaction(transaction).signatures.length > 1;
}

/** Step 2, as the service does it for what was not stored before. */
export async function stepTwo(
  launchpad: Signing,
  signed: Signed,
  { journal = unsent, signal = never } = {},
) {
  const isSponsored = signed.kind === "claim" && isJoint(signed);
  await launchpad.check(signed, isSponsored ? null : signed.signature);
  return launchpad.submit(await cosigned(launchpad, signed), journal, signal);
}
