import { createHash } from "node:crypto";
import { PublicKey } from "@solana/web3.js";
import { TOKEN_PROGRAM } from "./addresses.ts";

/** The sandbox's two fee vaults of a pool, by the seed of each: before and after migration. */
const SEEDS = ["curve", "liquidity"] as const;

/**
 * The accounts in which the sandbox gathers a token's fees. Each is the address that
 * `createAccountWithSeed` gives: a hash of the pool, the seed and the token program. An account that
 * was made in any other way cannot have such an address, whatever pool a server names.
 *
 * @returns base58
 */
export function sandboxVaults(pool: PublicKey): readonly string[] {
  return SEEDS.map((seed) => {
    const hash = createHash("sha256").update(pool.toBytes()).update(seed);
    hash.update(new PublicKey(TOKEN_PROGRAM).toBytes());
    return new PublicKey(hash.digest()).toBase58();
  });
}
