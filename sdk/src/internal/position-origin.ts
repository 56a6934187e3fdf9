import { DBC_PROGRAM } from "../claim-check/addresses.ts";
import { refuseTransaction } from "../claim-check/instruction.ts";
import { RpcError } from "../errors.ts";
import { answer, list, shape, string } from "./answer.ts";
import { CONFIRMED, type Rpc, TRANSACTIONS } from "./rpc.ts";

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
      ({ programIdIndex }) => accountKeys[programIdIndex] === DBC_PROGRAM,
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
