import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { DAMM_V2, DBC } from "@tokenctl/shared/programs/ids";
import { readTokenAccount } from "@tokenctl/shared/programs/token";
import bs58 from "bs58";
import { refuseTransaction } from "../claim-check/instruction.ts";
import { sandboxVaults } from "../claim-check/parties.ts";
import type { HandOverCost } from "../claim-check/terms.ts";
import { RpcError } from "../errors.ts";
import { answer, list, shape, string } from "./answer.ts";
import { readAccounts, tryAccount, withdrawable } from "./chain-accounts.ts";
import { builder } from "./program-address.ts";
import { CONFIRMED, type Rpc, TRANSACTIONS } from "./rpc.ts";

/** The number of vaults of a sandbox's pool. On a real chain their addresses are empty. */
const VAULTS = 2;

/**
 * Returns the lamports of fees that the agent can still claim and that a hand-over would give away.
 *
 * @throws {RpcError} if the node does not show one of its pools
 */
export async function openFees(
  rpc: Rpc,
  agent: string,
  { poolAddresses, positionNfts }: Pick<HandOverCost, "poolAddresses" | "positionNfts">,
): Promise<bigint> {
  const accounts = await readAccounts(rpc, [
    ...poolAddresses,
    ...poolAddresses.flatMap((pool) => sandboxVaults(bs58.decode(pool))),
    ...positionNfts.map((nft) => builder.derived(DAMM_V2, "position", nft)),
  ]);
  const ofVaults = accounts.slice(poolAddresses.length).map(readTokenAccount);
  const feesPerLiquidity = new Map<string, bigint>();
  let open = 0n;
  for (const [index, address] of poolAddresses.entries()) {
    const curve = tryAccount(dbc, "VirtualPool", accounts[index]);
    const liquidity = tryAccount(dammV2, "Pool", accounts[index]);
    const vaults = ofVaults
      .slice(VAULTS * index, VAULTS * (index + 1))
      .filter((one) => one !== null);
    if (curve?.creator === agent) open += curve.creatorQuoteFee;
    if (liquidity) feesPerLiquidity.set(address, liquidity.feeBPerLiquidity);
    for (const { amount } of vaults) open += amount;
    if (curve || liquidity || vaults.length > 0) continue;
    throw new RpcError("getMultipleAccounts", rpc.origin, `there is no pool ${address}`);
  }
  for (const account of accounts.slice((1 + VAULTS) * poolAddresses.length)) {
    const position = tryAccount(dammV2, "Position", account);
    if (!position) continue;
    // Source: `getUnClaimLpFee` of the DAMM v2 SDK.
    const earned = (feesPerLiquidity.get(position.pool) ?? 0n) - position.feeBPerTokenCheckpoint;
    const liquidity = withdrawable(position) + position.permanentLockedLiquidity;
    const share = earned > 0n ? (liquidity * earned) >> 128n : 0n;
    open += position.feeBPending + share;
  }
  return open;
}

/** Maximum signatures per answer. Source: `getSignaturesForAddress` in Solana's RPC docs. */
const PAGE = 1_000;
/** Enough, because the NFT of a position is rarely in ten transactions. */
const MOST_PAGES = 10;

interface Opening {
  transaction: {
    message: {
      accountKeys: string[];
      header: { numRequiredSignatures: number };
      instructions: { programIdIndex: number }[];
    };
  };
}

const listed = answer<{ signature: string; err: unknown }[]>(list(shape({ signature: string })));

const index = { type: "integer" } as const;
const opening = answer<Opening>(
  shape({
    transaction: shape({
      message: shape({
        accountKeys: list(string),
        header: shape({ numRequiredSignatures: index }),
        instructions: list(shape({ programIdIndex: index })),
      }),
    }),
  }),
);

/**
 * Refuses to give away positions that the agent opened itself, because they hold its own liquidity.
 * An instruction of Dynamic Bonding Curve opens the positions that a migration gives.
 *
 * @param nfts of the positions, base58
 * @throws {CheckError} that names the NFT of such a position
 * @throws {RpcError} if the node does not show how a position was opened
 */
export async function refuseOwnPositions(
  rpc: Rpc,
  { agent, nfts }: { readonly agent: string; readonly nfts: readonly string[] },
): Promise<void> {
  for (const nft of nfts) {
    const first = await firstTransaction(rpc, nft);
    const { transaction } = await rpc.read("getTransaction", [first, TRANSACTIONS], opening);
    const { accountKeys, header, instructions } = transaction.message;
    const isSigned = accountKeys.slice(0, header.numRequiredSignatures).includes(agent);
    const isMigration = instructions.some(
      ({ programIdIndex }) => accountKeys[programIdIndex] === DBC,
    );
    if (!isSigned || isMigration) continue;
    const saw = `it gives the position of the NFT ${nft}, which the agent opened itself`;
    refuseTransaction(saw);
  }
}

async function firstTransaction(rpc: Rpc, address: string): Promise<string> {
  let first: string | undefined;
  let before: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = [address, { ...CONFIRMED, limit: PAGE, ...(before && { before }) }];
    const found = await rpc.read("getSignaturesForAddress", params, listed);
    first = found.findLast(({ err }) => err === null)?.signature ?? first;
    before = found.at(-1)?.signature;
    if (found.length === PAGE) continue;
    if (first !== undefined) return first;
    break;
  }
  const why = `the node does not show how the position of the NFT ${address} was opened`;
  throw new RpcError("getSignaturesForAddress", rpc.origin, why);
}
