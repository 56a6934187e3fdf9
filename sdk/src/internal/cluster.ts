import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../claim-check/addresses.ts";
import { MOST_PER_BYTE, sumOfRents, TOKEN_ACCOUNT_BYTES } from "../claim-check/rent.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { ClaimCheckError } from "../claim-errors.ts";
import { RpcError } from "../errors.ts";
import { type ChainAccount, readAccounts } from "./chain-accounts.ts";
import { readCurveConfig, readMint } from "./layouts.ts";
import type { Rpc } from "./rpc.ts";

/**
 * Checks a claim's tokens on the cluster before the claim is signed.
 *
 * @returns the cost at the cluster's rent, without accounts that already exist
 * @throws {ClaimCheckError} for a token that does not exist, a new account that could be frozen, or
 * a sponsor that is repaid more rent than it pays
 */
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
    if (createdAccounts.length > 0 && canFreeze(token)) {
      refuse(`the mint ${mint} can freeze the account that the claim makes, and so its rent`);
    }
  }
  for (const { lamports } of repaid) {
    // SOL that lies at the address is the agent's. An account that is there must be closed before, to the agent.
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

/** @returns lamports per byte: those per year (u64) times years (f64). Source: Solana's `Rent`; null if unreadable */
function rentPerByte(sysvar: ChainAccount | null | undefined): bigint | null {
  const { data } = sysvar ?? {};
  if (!data || data.length < 16) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const lamports = Number(view.getBigUint64(0, true)) * view.getFloat64(8, true);
  return Number.isSafeInteger(Math.trunc(lamports)) ? BigInt(Math.trunc(lamports)) : null;
}

/** What a launchpad's config says, and the cluster's rent. */
export interface ReadConfig {
  readonly creatorSharePercent: number;
  readonly creationLamports: bigint;
  readonly lamportsPerByte: bigint;
}

/** Reads a launch's config. @throws {RpcError} if it is not there, or is something else */
export async function readConfig(rpc: Rpc, address: string): Promise<ReadConfig> {
  const [found, rent] = await readAccounts(rpc, [address, RENT_SYSVAR]);
  const config = readCurveConfig(found);
  const lamportsPerByte = rentPerByte(rent);
  if (!config || lamportsPerByte === null) {
    throw new RpcError("getMultipleAccounts", rpc.origin, `${address} is not a launchpad's config`);
  }
  const { creatorSharePercent, creationLamports } = config;
  return { creatorSharePercent, creationLamports, lamportsPerByte };
}

/** @returns whether the account belongs to a token program: anyone can send SOL to an address */
function isOfTokens(account: ChainAccount | null | undefined): account is ChainAccount {
  return account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM;
}

/** An account that is not a mint counts as able to freeze. */
function canFreeze(account: ChainAccount): boolean {
  return readMint(account)?.freezeAuthority !== null;
}

function refuse(saw: string): never {
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}
