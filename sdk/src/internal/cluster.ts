import { DBC_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../claim-check/addresses.ts";
import { MOST_PER_BYTE, sumOfRents, TOKEN_ACCOUNT_BYTES } from "../claim-check/rent-bound.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { ClaimCheckError } from "../claim-errors.ts";
import { RpcError } from "../errors.ts";
import { answer, shape } from "./answer.ts";
import { decodeBase64 } from "./bytes.ts";
import type { Rpc } from "./rpc.ts";

/** Offset in a mint's data of the flag for a freeze authority. Source: spl-token's `Mint`. */
const FREEZE_AUTHORITY_AT = 46;

interface Account {
  lamports: number;
  owner: string;
  /** The data, and the name of its encoding, `base64`. */
  data: string[];
}

const account = shape({
  lamports: { type: "number" },
  owner: { type: "string" },
  data: { type: "array", items: { type: "string" } },
});

const accounts = answer<{ value: (Account | null)[] }>(
  shape({ value: { type: "array", items: { ...account, type: ["object", "null"] } } }),
);

/**
 * Checks a claim's tokens on the cluster before the claim is signed.
 *
 * @param cost the most that the claim can cost, by the transaction alone
 * @returns the cost at the cluster's rent, without accounts that already exist
 * @throws {ClaimCheckError} if a token does not exist, an account made for it could be frozen, or a sponsor
 * is repaid more rent than it pays
 */
export async function priceOnCluster(
  rpc: Rpc,
  mints: readonly string[],
  cost: ClaimCost,
  signal: AbortSignal | undefined,
): Promise<ClaimCost> {
  const { sponsor } = cost;
  const repaid = sponsor?.account ? [sponsor.account] : [];
  const made = [...cost.createdAccounts, ...repaid].map(({ address }) => address);
  const addresses = [...mints, ...made, RENT_SYSVAR];
  const config = { encoding: "base64", commitment: "confirmed" };
  const { value } = await rpc.read("getMultipleAccounts", [addresses, config], accounts, signal);
  const perByte = rentPerByte(value[addresses.length - 1]);
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
    // SOL that the account already held is the agent's.
    const before = BigInt(Math.trunc(existing.at(-1)?.lamports ?? 0));
    const most = TOKEN_ACCOUNT_BYTES * perByte - before;
    if (lamports > most) {
      refuse(`it repays ${lamports} lamports of rent, but the account costs its sponsor ${most}`);
    }
  }
  return { ...cost, rentLamports: sumOfRents(createdAccounts), createdAccounts };
}

/** The sysvar account that holds the cluster's rent. */
const RENT_SYSVAR = "SysvarRent111111111111111111111111111111111";

/** @returns lamports per byte: those per year (u64) times years (f64). Source: Solana's `Rent`; null if unreadable */
function rentPerByte(sysvar: Account | null | undefined): bigint | null {
  const data = decodeBase64(sysvar?.data[0] ?? "");
  if (data === null || data.length < 16) return null;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const lamports = Number(view.getBigUint64(0, true)) * view.getFloat64(8, true);
  return Number.isSafeInteger(Math.trunc(lamports)) ? BigInt(Math.trunc(lamports)) : null;
}

/** Offsets in a config's data, and how it begins. Source: `PoolConfig` of DBC's IDL 0.2.1. */
const CONFIG_DISCRIMINATOR = [26, 108, 14, 123, 116, 230, 129, 43];
const CONFIG_BYTES = 1_048;
const CREATOR_SHARE_AT = 245;
const CREATION_FEE_AT = 368;

/** What a launchpad's config says, and the cluster's rent. */
export interface ReadConfig {
  readonly creatorSharePercent: number;
  readonly creationLamports: bigint;
  readonly lamportsPerByte: bigint;
}

/**
 * Reads the config under which a token is launched.
 *
 * @throws {RpcError} if it is not there, or is something else
 */
export async function readConfig(
  rpc: Rpc,
  address: string,
  signal: AbortSignal | undefined,
): Promise<ReadConfig> {
  const config = { encoding: "base64", commitment: "confirmed" };
  const addresses = [address, RENT_SYSVAR];
  const { value } = await rpc.read("getMultipleAccounts", [addresses, config], accounts, signal);
  const [found, rent] = value;
  const data = found?.owner === DBC_PROGRAM ? decodeBase64(found.data[0] ?? "") : null;
  const lamportsPerByte = rentPerByte(rent);
  const isConfig =
    data?.length === CONFIG_BYTES && CONFIG_DISCRIMINATOR.every((byte, i) => data[i] === byte);
  if (!data || !isConfig || lamportsPerByte === null) {
    throw new RpcError("getMultipleAccounts", rpc.origin, `${address} is not a launchpad's config`);
  }
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    creatorSharePercent: data[CREATOR_SHARE_AT] ?? 0,
    creationLamports: view.getBigUint64(CREATION_FEE_AT, true),
    lamportsPerByte,
  };
}

/** @returns whether the account belongs to a token program: anyone can send SOL to an address */
function isOfTokens(account: Account | null | undefined): account is Account {
  return account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM;
}

function canFreeze({ data: [data = ""] }: Account): boolean {
  // Data that is too short, or not base64, counts as able to freeze.
  return decodeBase64(data)?.[FREEZE_AUTHORITY_AT] !== 0;
}

function refuse(saw: string): never {
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}
