import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../claim-check/addresses.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { ClaimCheckError } from "../claim-errors.ts";
import type { Answer } from "./answers.ts";
import type { Rpc } from "./rpc.ts";
import { listOf, nullable, object, string } from "./shape.ts";

/** Where a mint's data tells whether it has a freeze authority. Source: spl-token's `Mint`. */
const FREEZE_AUTHORITY_AT = 46;

interface Account {
  owner: string;
  /** Base64, and the word for it. */
  data: string[];
}

const accounts: Answer<{ value: (Account | null)[] }> = {
  check: object<{ value: (Account | null)[] }>({
    value: listOf(nullable(object<Account>({ owner: string, data: listOf(string) }))),
  }),
};

/**
 * Looks at a claim's token before the claim is signed.
 *
 * @param cost what the claim costs at most, as far as the transaction itself tells
 * @returns the same without the rent of accounts that are there already
 * @throws {ClaimCheckError} if there is no such token, or an account made for it could be frozen
 * @throws {RpcError} if the node does not say
 */
export async function priceOnCluster(
  rpc: Rpc,
  mint: string,
  cost: ClaimCost,
  signal: AbortSignal | undefined,
): Promise<ClaimCost> {
  const addresses = [mint, ...cost.createdAccounts.map(({ address }) => address)];
  const config = { encoding: "base64", commitment: "confirmed" };
  const { value } = await rpc.read("getMultipleAccounts", [addresses, config], accounts, signal);
  const [token, ...existing] = value;
  const createdAccounts = cost.createdAccounts.filter((_, index) => !isOfTokens(existing[index]));
  if (!isOfTokens(token)) refuse(`there is no mint ${mint} on the cluster of ${rpc.origin}`);
  if (createdAccounts.length > 0 && canFreeze(token)) {
    refuse(`the mint ${mint} can freeze the account that the claim makes, and with it its rent`);
  }
  return {
    networkFeeLamports: cost.networkFeeLamports,
    rentLamports: createdAccounts.reduce((sum, { lamports }) => sum + lamports, 0n),
    createdAccounts,
  };
}

/** @returns whether it is there, and not just an address that somebody sent SOL to */
function isOfTokens(account: Account | null | undefined): account is Account {
  return account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM;
}

function canFreeze({ data: [data = ""] }: Account): boolean {
  // What is too short to tell counts as able to.
  return Buffer.from(data, "base64")[FREEZE_AUTHORITY_AT] !== 0;
}

function refuse(saw: string): never {
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}
