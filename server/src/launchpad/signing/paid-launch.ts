import { ACCOUNT_SIZE } from "@solana/spl-token";
import { PublicKey } from "@solana/web3.js";
import { readMessage, splitTransaction } from "@tokenctl/shared/wire-transaction";
import type { TransactionVersion } from "@tokenctl/shared/words";
import type { SignedBytes } from "../../domain/journal.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { HandedOut } from "../../domain/signing.ts";
import { rentExemption } from "../../solana/cluster-pace.ts";
import { nameOf, signWithKeys } from "../../solana/message.ts";
import { withRpcErrors } from "../chain/cluster.ts";
import type { ChainContext } from "../chain/context.ts";
import { readLaunchState } from "../chain/launch-state.ts";
import { AlreadyLaunchedError, ExpiredError, UnaffordableError } from "../errors.ts";
import { compilePriced, compose, type Draft, priceDraft } from "./compose.ts";

export type UnsignedLaunch = Awaited<ReturnType<typeof buildLaunch>>;
export type LaunchQuote = Awaited<ReturnType<typeof checkLaunch>>;

/** What a launch costs the agent that pays for it, in lamports. */
export interface LaunchPrice {
  readonly rent: bigint;
  readonly networkFee: bigint;
  /** The fees of the launchpad and the service for a new token. */
  readonly creationFee: bigint;
  readonly firstBuy: bigint;
}

export async function buildLaunch(
  chain: ChainContext,
  order: LaunchOrder,
  version: TransactionVersion,
) {
  const [price, terms] = await Promise.all([
    readPrice(chain, order),
    withRpcErrors(() => chain.program.terms()),
  ]);
  const { token, launch, deployed } = price;
  if (deployed) throw new AlreadyLaunchedError(deployed);
  const unsigned = await compose(chain, draftLaunch(order, price, version));
  const cost: LaunchPrice = { ...price.cost, networkFee: unsigned.networkFee };
  return { ...unsigned, token, terms, metadataUri: launch.metadataUri, cost };
}

/**
 * Prices and simulates a launch without handing out its transaction.
 * @returns the most that it costs, what its agent must hold and holds in lamports, and why
 * {@link buildLaunch} would throw, or null
 */
export async function checkLaunch(chain: ChainContext, order: LaunchOrder) {
  const price = await readPrice(chain, order);
  const draft = draftLaunch(order, price, "legacy");
  const priced = await priceDraft(chain, draft);
  const { balance, deployed, holds, lends } = price;
  const networkFee = priced.fee.highest;
  const required = holds + networkFee + lends;
  const refuse = async () => {
    if (deployed) return new AlreadyLaunchedError(deployed);
    await compilePriced(chain, draft, priced);
    if (balance >= required) return null;
    return new UnaffordableError("launch", order.wallet, { required, balance });
  };
  const refusal = await refuse().catch((error: unknown) => error);
  const cost: LaunchPrice = { ...price.cost, networkFee };
  return { cost, required, balance, refusal };
}

type Price = Awaited<ReturnType<typeof readPrice>>;

function draftLaunch(order: LaunchOrder, price: Price, version: TransactionVersion): Draft {
  const { instructions, signers } = price.launch;
  return {
    kind: "launch",
    version,
    signers: [new PublicKey(order.wallet), ...signers.map(({ publicKey }) => publicKey)],
    instructions,
    funds: price,
  };
}

export async function readPrice(chain: ChainContext, order: LaunchOrder) {
  const { program } = chain;
  const token = program.addresses(order.eventId);
  const [launch, state] = await Promise.all([
    withRpcErrors(() => program.launch(order)),
    readLaunchState(chain, [token], { agent: order.wallet }),
  ]);
  const { rentPerByte, agentLamports: balance, deployed } = state;
  const firstBuy = order.firstBuy?.lamports ?? 0n;
  const rent = launch.rentBytes * rentPerByte;
  const cost = { rent, creationFee: launch.creationLamports, firstBuy };
  const holds = rent + cost.creationFee + firstBuy + rentExemption(rentPerByte, 0);
  // A first buy may also have to pay for an account for wrapped SOL until it closes it.
  const lends = firstBuy > 0n ? rentExemption(rentPerByte, ACCOUNT_SIZE) : 0n;
  return { token, launch, cost, balance, deployed, holds, lends };
}

/**
 * Adds the mint's signature to a launch that the agent signed: from then on it can land. The
 * message must be that of {@link buildLaunch} byte for byte, except for assertions.
 */
export async function cosignLaunch(
  chain: ChainContext,
  { transaction: bytes, order }: HandedOut & { readonly order: LaunchOrder },
): Promise<SignedBytes> {
  const { signers } = await withRpcErrors(() => chain.program.launch(order));
  const { message } = splitTransaction(bytes);
  const { staticKeys, requiredSignatures } = readMessage(message);
  const needed = staticKeys.slice(1, requiredSignatures).map((key) => new PublicKey(key));
  const isSame = needed.every((key) => signers.some(({ publicKey }) => publicKey.equals(key)));
  // Another secret derives another mint.
  if (!isSame) throw new ExpiredError("launch", "The launch has changed since the agent signed it");
  const transaction = signWithKeys(bytes, signers);
  return { signature: nameOf(transaction), transaction };
}
