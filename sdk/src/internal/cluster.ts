import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../claim-check/addresses.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { ClaimCheckError } from "../claim-errors.ts";
import type { Answer } from "./answers.ts";
import { decodeBase64 } from "./bytes.ts";
import type { Rpc } from "./rpc.ts";
import { listOf, nullable, object, string } from "./shape.ts";

/** Offset in a mint's data of the flag for a freeze authority. Source: spl-token's `Mint`. */
const FREEZE_AUTHORITY_AT = 46;

interface Account {
  owner: string;
  /** The data, and the name of its encoding, `base64`. */
  data: string[];
}

const accounts: Answer<{ value: (Account | null)[] }> = {
  check: object<{ value: (Account | null)[] }>({
    value: listOf(nullable(object<Account>({ owner: string, data: listOf(string) }))),
  }),
};

/**
 * Checks a claim's tokens on the cluster before the claim is signed.
 *
 * @param cost what the claim costs at most, read from the transaction alone
 * @returns the cost without the rent of accounts that exist already
 * @throws {ClaimCheckError} if there is no such token, or an account made for it could be frozen
 * @throws {RpcError} if the node does not answer
 */
export async function priceOnCluster(
  rpc: Rpc,
  mints: readonly string[],
  cost: ClaimCost,
  signal: AbortSignal | undefined,
): Promise<ClaimCost> {
  const addresses = [...mints, ...cost.createdAccounts.map(({ address }) => address)];
  const config = { encoding: "base64", commitment: "confirmed" };
  const { value } = await rpc.read("getMultipleAccounts", [addresses, config], accounts, signal);
  const tokens = value.slice(0, mints.length);
  const existing = value.slice(mints.length);
  const createdAccounts = cost.createdAccounts.filter((_, index) => !isOfTokens(existing[index]));
  for (const [index, mint] of mints.entries()) {
    const token = tokens[index];
    if (!isOfTokens(token)) refuse(`there is no mint ${mint} on the cluster of ${rpc.origin}`);
    if (createdAccounts.length > 0 && canFreeze(token)) {
      refuse(`the mint ${mint} can freeze the account that the claim makes, and with it its rent`);
    }
  }
  return {
    ...cost,
    rentLamports: createdAccounts.reduce((sum, { lamports }) => sum + lamports, 0n),
    createdAccounts,
  };
}

/**
 * @returns whether the account exists and belongs to a token program; anyone can send SOL to an
 * address
 */
function isOfTokens(account: Account | null | undefined): account is Account {
  return account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM;
}

function canFreeze({ data: [data = ""] }: Account): boolean {
  // Data that is too short to say, or not base64, counts as able to freeze.
  return decodeBase64(data)?.[FREEZE_AUTHORITY_AT] !== 0;
}

function refuse(saw: string): never {
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}
