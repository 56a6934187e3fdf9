import { type Connection, PublicKey } from "@solana/web3.js";
import { dammV2, POSITION_PERMISSIONS } from "@tokenctl/shared/programs/damm-v2";
import { TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import { readAccount } from "@tokenctl/shared/programs/program";
import { readTokenAccount } from "@tokenctl/shared/programs/token";
import { readAccounts } from "../../solana/connection.ts";
import { builder } from "./programs.ts";

export interface DelegatedPosition {
  readonly position: PublicKey;
  readonly pool: PublicKey;
  readonly delegate: PublicKey;
  /** Further permissions of the delegate by the program's names, such as `ClaimPositionFee`. */
  readonly permissions: readonly string[];
}

/** Reads a wallet's positions that have a delegate, with one call, or two if there may be some. */
export async function readDelegatedPositions(
  connection: Connection,
  wallet: PublicKey,
): Promise<DelegatedPosition[]> {
  const tokens = { programId: new PublicKey(TOKEN_2022) };
  const owned = await connection.getTokenAccountsByOwner(wallet, tokens);
  const delegated = owned.value.flatMap(({ account }) => {
    const nft = readTokenAccount(account);
    if (nft?.amount !== 1n || nft.delegate === null) return [];
    const position = new PublicKey(builder.derived(dammV2.id, "position", nft.mint));
    return [{ delegate: new PublicKey(nft.delegate), position }];
  });
  const accounts = await readAccounts(
    connection,
    delegated.map(({ position }) => position),
  );
  return delegated.flatMap(({ delegate, position }, index) => {
    const account = accounts[index];
    // Tokens that are no positions have delegates too.
    if (account?.owner.toBase58() !== dammV2.id) return [];
    const { pool, delegatePermission } = readAccount(dammV2, "Position", account);
    const permissions = namesOf(delegatePermission);
    return [{ position, pool: new PublicKey(pool), delegate, permissions }];
  });
}

function namesOf(permission: number): string[] {
  const bits = Array.from({ length: 32 }, (_, bit) => bit);
  return bits
    .filter((bit) => (permission & (1 << bit)) !== 0)
    .map((bit) => POSITION_PERMISSIONS[bit] ?? `permission ${bit}`);
}
