import { networkOf, PLAY } from "@tokenctl/shared/clusters";
import type { CurveConfig } from "@tokenctl/shared/programs/curve-terms";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { readMint } from "@tokenctl/shared/programs/token";
import type { Network } from "@tokenctl/shared/types";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { MOST_PER_BYTE, sumOfRents, TOKEN_ACCOUNT_BYTES } from "../claim-check/cost.ts";
import { isMarked, refuseTransaction as refuse } from "../claim-check/instruction.ts";
import type { ClaimCost, FeeTerms } from "../claim-check/terms.ts";
import { RpcError } from "../errors.ts";
import { answer, shape } from "./answer.ts";
import { isLoopback } from "./arguments.ts";
import { decodeBase64, encodeBase64 } from "./bytes.ts";
import { type ChainAccount, readAccounts, tryAccount } from "./chain-accounts.ts";
import { CONFIRMED, type Rpc } from "./rpc.ts";
import type { Settings } from "./settings.ts";

const genesis = answer<string>({ type: "string" });

type Node = Settings;

/** Returns the cluster of the caller's node, `localnet` if private and on this machine, or null. */
export async function clusterOf(
  { rpc, maySandbox }: Node,
  signal: AbortSignal | undefined,
): Promise<Network | null> {
  if (rpc === null || maySandbox) return null;
  const network = networkOf(await rpc.until(signal).read("getGenesisHash", [], genesis));
  return network === "private" && isLoopback(new URL(rpc.origin)) ? "localnet" : network;
}

export async function canHaveValue(
  node: Node,
  transaction: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const bytes = decodeBase64(transaction);
  if (bytes && isMarked(bytes)) return false;
  return !PLAY.includes(await clusterOf(node, signal));
}

const fee = answer<{ value: number | null }>(shape({ value: { type: ["integer", "null"] } }));

/** Returns the limit of a transaction's network fee and, with `rpcUrl`, the fee by that node. */
export async function feeTerms(
  { maxNetworkFeeLamports, rpc, maySandbox }: Settings & Node,
  transaction: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<FeeTerms> {
  if (!rpc) return { maxNetworkFeeLamports };
  // A server's own node proves nothing about other chains.
  if (!isMarked(transaction) && maySandbox) {
    refuse("it could land on a real chain, and rpcUrl is the node of a sandbox");
  }
  const node = rpc.until(signal);
  const method = "getFeeForMessage";
  const params = [encodeBase64(splitTransaction(transaction).message), CONFIRMED];
  const lamports = await node.untilShown(
    async () => (await node.read(method, params, fee)).value,
    () => new RpcError(method, node.origin, "it does not know the transaction's blockhash"),
  );
  return { maxNetworkFeeLamports, networkFeeLamports: BigInt(lamports) };
}

/** Checks a claim's tokens, and returns its cost at the cluster's rent. */
export async function priceOnCluster<Cost extends Pick<ClaimCost, "createdAccounts" | "sponsor">>(
  rpc: Rpc,
  mints: readonly string[],
  cost: Cost,
): Promise<Cost & Pick<ClaimCost, "rentLamports">> {
  const { sponsor } = cost;
  const repaid = sponsor?.account ? [sponsor.account] : [];
  const made = [...cost.createdAccounts, ...repaid].map(({ address }) => address);
  const addresses = [...mints, ...made, RENT_SYSVAR];
  const value = await readAccounts(rpc, addresses);
  const perByte = rentPerByte(value.at(-1));
  if (perByte === null)
    throw new RpcError("getMultipleAccounts", rpc.origin, "the node does not show the rent");
  const tokens = value.slice(0, mints.length);
  const existing = value.slice(mints.length, mints.length + made.length);
  const createdAccounts = cost.createdAccounts
    .filter((_, index) => !isOfTokens(existing[index]))
    .map(({ address, lamports }) => ({ address, lamports: (lamports * perByte) / MOST_PER_BYTE }));
  for (const [index, mint] of mints.entries()) {
    const token = tokens[index];
    if (!isOfTokens(token)) refuse(`there is no mint ${mint} on the cluster of ${rpc.origin}`);
    // An account that is not a mint could freeze too.
    const mayFreeze = readMint(token)?.freezeAuthority !== null;
    if (mayFreeze) refuse(`the mint ${mint} can freeze its accounts, and so their rent`);
  }
  for (const { lamports } of repaid) {
    // SOL at the address is the agent's. An existing account must first be closed, to the agent.
    const account = existing.at(-1);
    const isThere: boolean = isOfTokens(account);
    const before = isThere ? 0n : BigInt(Math.trunc(account?.lamports ?? 0));
    const most = TOKEN_ACCOUNT_BYTES * perByte - before;
    if (lamports > most) {
      refuse(`it repays ${lamports} lamports of rent, but the account costs its sponsor ${most}`);
    }
  }
  return { ...cost, rentLamports: sumOfRents(createdAccounts), createdAccounts };
}

const RENT_SYSVAR = "SysvarRent111111111111111111111111111111111";

/** Returns lamports per byte, per year (u64) × years (f64), or null. Source: Solana's `Rent`. */
function rentPerByte(sysvar: ChainAccount | null | undefined): bigint | null {
  const { data } = sysvar ?? {};
  if (!data || data.length < 16) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const lamports = Number(view.getBigUint64(0, true)) * view.getFloat64(8, true);
  return Number.isSafeInteger(Math.trunc(lamports)) ? BigInt(Math.trunc(lamports)) : null;
}

export type ReadConfig = CurveConfig & { readonly lamportsPerByte: bigint };

export async function readConfig(rpc: Rpc, address: string): Promise<ReadConfig> {
  const [found, rent] = await readAccounts(rpc, [address, RENT_SYSVAR]);
  const config = tryAccount(dbc, "PoolConfig", found);
  const lamportsPerByte = rentPerByte(rent);
  if (!config || lamportsPerByte === null) {
    throw new RpcError("getMultipleAccounts", rpc.origin, `${address} is not a launchpad's config`);
  }
  return { ...config, lamportsPerByte };
}

/** Returns whether a token program owns the account: anyone can send SOL to an address. */
function isOfTokens(account: ChainAccount | null | undefined): account is ChainAccount {
  return account?.owner === TOKEN || account?.owner === TOKEN_2022;
}
