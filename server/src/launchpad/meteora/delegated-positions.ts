import { derivePositionAddress, PositionDelegatePermission } from "@meteora-ag/cp-amm-sdk";
import { AccountLayout, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token";
import type { Connection, PublicKey } from "@solana/web3.js";
import { readAccounts } from "../../solana/connection.ts";
import { decodePosition } from "./accounts.ts";
import { meteoraPrograms } from "./programs.ts";

export interface DelegatedPosition {
  readonly position: PublicKey;
  readonly pool: PublicKey;
  readonly delegate: PublicKey;
  /** What else the program lets the delegate do, in its words, such as `ClaimPositionFee`. */
  readonly permissions: readonly string[];
}

/** Reads the positions of a wallet that have a delegate: one call, and one more if there may be some. */
export async function readDelegatedPositions(
  connection: Connection,
  wallet: PublicKey,
): Promise<DelegatedPosition[]> {
  const owned = await connection.getTokenAccountsByOwner(
    wallet,
    { programId: TOKEN_2022_PROGRAM_ID },
    "confirmed",
  );
  const delegated = owned.value
    .map(({ account }) => AccountLayout.decode(account.data))
    .filter(({ amount, delegateOption }) => amount === 1n && delegateOption !== 0)
    .map(({ mint, delegate }) => ({ delegate, position: derivePositionAddress(mint) }));
  const programs = meteoraPrograms(connection);
  const accounts = await readAccounts(
    connection,
    delegated.map(({ position }) => position),
  );
  return delegated.flatMap(({ delegate, position }, index) => {
    const account = accounts[index];
    // Other tokens than positions have delegates too.
    if (!account?.owner.equals(programs.liquidity.programId)) return [];
    const { pool, delegatePermission } = decodePosition(programs, account);
    return [{ position, pool, delegate, permissions: namesOf(delegatePermission) }];
  });
}

function namesOf(permission: number): string[] {
  const bits = Array.from({ length: 32 }, (_, bit) => bit);
  return bits
    .filter((bit) => (permission & (1 << bit)) !== 0)
    .map((bit) => PositionDelegatePermission[bit] ?? `permission ${bit}`);
}
