import { createHash } from "node:crypto";
import { PublicKey } from "@solana/web3.js";
import { TOKEN_PROGRAM } from "./addresses.ts";

/** Seeds of a pool's two fee vaults on the sandbox: before and after migration. */
const SEEDS = ["curve", "liquidity"] as const;

/**
 * Computes the accounts in which the sandbox collects a token's fees. Each address is that of
 * `createAccountWithSeed`: a hash of the pool, the seed and the token program. An account that was
 * made in another way cannot have such an address, so a server gains nothing if it names a false
 * pool.
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
