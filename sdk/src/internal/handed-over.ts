import { dammV2 } from "@tokenctl/shared/programs/damm-v2";
import { dbc } from "@tokenctl/shared/programs/dbc";
import { DAMM_V2 } from "@tokenctl/shared/programs/ids";
import { readTokenAccount } from "@tokenctl/shared/programs/token";
import bs58 from "bs58";
import { refuseTransaction } from "../claim-check/instruction.ts";
import { sandboxVaults } from "../claim-check/parties.ts";
import type { HandOverCost } from "../claim-check/terms.ts";
import { RpcError } from "../errors.ts";
import { readAccounts, tryAccount, withdrawable } from "./chain-accounts.ts";
import { builder } from "./program-address.ts";
import type { Rpc } from "./rpc.ts";

/** The number of vaults of a sandbox's pool. On a real chain their addresses are empty. */
const VAULTS = 2;

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

/** A migration locks its positions' liquidity, or lets it vest; others are the agent's own. */
export async function refuseOwnPositions(rpc: Rpc, nfts: readonly string[]): Promise<void> {
  if (nfts.length === 0) return;
  const addresses = nfts.map((nft) => builder.derived(DAMM_V2, "position", nft));
  const accounts = await readAccounts(rpc, addresses);
  for (const [index, nft] of nfts.entries()) {
    const position = tryAccount(dammV2, "Position", accounts[index]);
    if (position && position.permanentLockedLiquidity + position.vestedLiquidity > 0n) continue;
    refuseTransaction(`it gives the position of the NFT ${nft}, which has no locked liquidity`);
  }
}
