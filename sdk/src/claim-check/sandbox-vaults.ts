import bs58 from "bs58";
import { addressWithSeed } from "../internal/program-address.ts";
import { TOKEN_PROGRAM } from "./addresses.ts";

/** Seeds of a pool's two fee vaults on the sandbox: before and after migration. */
const SEEDS = ["curve", "liquidity"] as const;

/**
 * Computes the accounts in which the sandbox collects a token's fees. Each address is that of
 * `createAccountWithSeed`: a hash of the pool, the seed and the token program. An account that was
 * made in another way cannot have such an address, so a server gains nothing if it names a false
 * pool.
 *
 * @param pool 32 bytes
 * @returns base58
 */
export function sandboxVaults(pool: Uint8Array): readonly string[] {
  const program = bs58.decode(TOKEN_PROGRAM);
  return SEEDS.map((seed) => bs58.encode(addressWithSeed(pool, seed, program)));
}
