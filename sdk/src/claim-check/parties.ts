import { decodeBase58 } from "@tokenctl/shared/base58";
import bs58 from "bs58";
import { InvalidArgumentError } from "../errors.ts";
import { addressWithSeed, derived } from "../internal/program-address.ts";
import { receiversOf } from "../internal/receivers.ts";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from "./addresses.ts";
import type { ClaimReceiver, ClaimTerms } from "./terms.ts";

/** The wallet and the accounts that a claim may pay, base58. */
export interface Parties {
  /** The wallet that signs and is paid. */
  readonly agent: string;
  /** The wallet that pays the network fee and the rents of a sponsored claim; null otherwise. */
  readonly sponsor: string | null;
  /** The agent's associated account for wrapped SOL. */
  readonly wrappedSol: string;
  /**
   * The agent's associated accounts: by the mint of each claimed token, then by token program. None for wrapped
   * SOL, which is no token that fees are claimed of.
   */
  readonly tokenAccounts: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Who gets the fees; none if the agent does. */
  readonly receivers: readonly ClaimReceiver[];
  /** Accounts from which a claim may transfer wrapped SOL; empty unless the server is a sandbox. */
  readonly sandboxVaults: readonly string[];
}

/** Seeds of a pool's two fee vaults on the sandbox: before and after migration. */
const VAULT_SEEDS = ["curve", "liquidity"] as const;

/** @throws {InvalidArgumentError} if the agent, the mint or the pool is not an address */
export function partiesOf(terms: ClaimTerms): Omit<Parties, "sponsor"> {
  const agent = bs58.encode(parseAddress("agent", terms.agent));
  // A server's list may name wrapped SOL, whose account a sponsor must not be paid from.
  const mints = listOf(terms.tokenMint)
    .map((mint) => bs58.encode(parseAddress("tokenMint", mint)))
    .filter((mint) => mint !== WRAPPED_SOL_MINT);
  const pools = listOf(terms.sandboxPool ?? []).map((pool) => parseAddress("sandboxPool", pool));
  const accountsOf = (mint: string) =>
    new Map(
      [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((tokenProgram) => [
        tokenProgram,
        associatedAccount(agent, mint, tokenProgram),
      ]),
    );
  return {
    agent,
    wrappedSol: associatedAccount(agent, WRAPPED_SOL_MINT, TOKEN_PROGRAM),
    tokenAccounts: new Map(mints.map((mint) => [mint, accountsOf(mint)])),
    receivers: receiversOf(terms.receivers),
    sandboxVaults: pools.flatMap(sandboxVaults),
  };
}

/** By `createAccountWithSeed`: no other account has such an address, even of a false pool. */
function sandboxVaults(pool: Uint8Array): readonly string[] {
  const program = bs58.decode(TOKEN_PROGRAM);
  return VAULT_SEEDS.map((seed) => bs58.encode(addressWithSeed(pool, seed, program)));
}

function listOf(given: string | readonly string[]): readonly string[] {
  return typeof given === "string" ? [given] : given;
}

/** @returns whether an address is the agent's account for one of the tokens, with this token program */
export function isTokenAccount(
  { tokenAccounts }: Pick<Parties, "tokenAccounts">,
  tokenProgram: string,
  address: string,
): boolean {
  return [...tokenAccounts.values()].some((accounts) => accounts.get(tokenProgram) === address);
}

/** @returns whether an address is the agent's wallet or one of its accounts that a claim may pay */
export function isOfAgent(parties: Omit<Parties, "sponsor">, address: string): boolean {
  return (
    address === parties.agent ||
    address === parties.wrappedSol ||
    isTokenAccount(parties, TOKEN_PROGRAM, address) ||
    isTokenAccount(parties, TOKEN_2022_PROGRAM, address)
  );
}

export function associatedAccount(owner: string, mint: string, tokenProgram: string): string {
  return derived(ASSOCIATED_TOKEN_PROGRAM, null, owner, tokenProgram, mint);
}

/** @throws {InvalidArgumentError} it is not an address */
export function parseAddress(name: string, address: string): Uint8Array {
  const bytes = typeof address === "string" ? decodeBase58(address, 32) : null;
  if (bytes !== null) return bytes;
  throw new InvalidArgumentError(`${name} is not an address, which is base58 of 32 bytes`);
}
