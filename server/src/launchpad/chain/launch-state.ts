import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import { type AccountInfo, PublicKey, SYSVAR_RENT_PUBKEY } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import { readRentPerByte } from "../../solana/cluster-pace.ts";
import { readAccounts, readAccountsAt } from "../../solana/connection.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../errors.ts";
import { BEHIND, withRpcErrors } from "./cluster.ts";
import type { ChainContext } from "./context.ts";
import type { WalletReading } from "./wallet-guard.ts";

export interface LaunchState extends WalletReading {
  readonly slot: number;
  /** 0 without a launch wallet. */
  readonly walletLamports: bigint;
  readonly deployed: TokenRef | null;
  readonly agentLamports: bigint;
}

/**
 * Reads whether a launch's token exists. Its mint proves that: only this service has the mint's
 * key, and one transaction creates mint and pool. The pool's address also depends on the config.
 * @param tokens the addresses that the launch's attempts may have used
 * @param options refuses answers from before `minContextSlot`; also reads the balance of `agent`
 * @throws {LaunchRefusedError} if the mint exists, and its pool has another config
 */
export async function readLaunchState(
  chain: ChainContext,
  tokens: readonly TokenRef[],
  { minContextSlot, agent }: { minContextSlot?: number | undefined; agent?: string | null } = {},
): Promise<LaunchState> {
  const own = chain.wallet === null ? [] : [chain.wallet.publicKey];
  const named = [...tokens.map((it) => it.tokenMint), ...tokens.map((it) => it.poolAddress)];
  if (agent) named.push(agent);
  const keys = [...own, ...named.map((address) => new PublicKey(address))];
  const { slot, rentPerByte, accounts } = await readWithRent(chain, keys, minContextSlot);
  const [wallet, ...rest] = own.length === 0 ? [null, ...accounts] : accounts;
  const count = tokens.length;
  const [mints, pools] = [rest.slice(0, count), rest.slice(count, 2 * count)];
  const hasToken = (_: TokenRef, index: number) => isMint(mints[index]) && Boolean(pools[index]);
  const deployed = tokens.find(hasToken) ?? null;
  if (deployed === null && mints.some(isMint)) {
    throw new LaunchRefusedError(
      "Its token is on chain already, under a config other than the service's",
    );
  }
  return {
    slot,
    deployed,
    walletLamports: BigInt(wallet?.lamports ?? 0),
    rentPerByte,
    agentLamports: BigInt(rest[2 * count]?.lamports ?? 0),
  };
}

export async function readWithRent(
  { connection }: Pick<ChainContext, "connection">,
  addresses: readonly PublicKey[],
  minContextSlot = 0,
) {
  const keys = [SYSVAR_RENT_PUBKEY, ...addresses];
  const config = minContextSlot > 0 ? { minContextSlot } : {};
  const read = await withRpcErrors(() => readAccountsAt(connection, keys, config));
  const { slot } = read;
  if (slot < minContextSlot) throw new ChainUnavailableError(BEHIND);
  const [rent, ...accounts] = read.accounts;
  if (!rent) throw new ChainUnavailableError("The Solana RPC returned no rent");
  return { slot, rentPerByte: readRentPerByte(rent.data), accounts };
}

/** Anyone can send lamports to a known address, but only this service can make it a mint. */
function isMint(account: AccountInfo<Buffer> | null | undefined): boolean {
  if (!account) return false;
  return account.owner.equals(TOKEN_PROGRAM_ID) || account.owner.equals(TOKEN_2022_PROGRAM_ID);
}

export async function readBalances(
  { connection }: Pick<ChainContext, "connection">,
  wallets: readonly string[],
): Promise<bigint[]> {
  const keys = wallets.map((wallet) => new PublicKey(wallet));
  const dataSlice = { offset: 0, length: 0 };
  const accounts = await withRpcErrors(() => readAccounts(connection, keys, { dataSlice }));
  return accounts.map((account) => BigInt(account?.lamports ?? 0));
}
