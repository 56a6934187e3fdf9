import { decodeBase58 } from "@tokenctl/shared/base58";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { TOKEN, TOKEN_2022 } from "@tokenctl/shared/programs/ids";
import bs58 from "bs58";
import { InvalidArgumentError } from "../errors.ts";
import { receiversOf } from "../internal/arguments.ts";
import { addressWithSeed, builder } from "../internal/program-address.ts";
import type { ClaimReceiver, ClaimTerms } from "./terms.ts";

/** The wallet and the accounts that a claim may pay, base58. */
export interface Parties {
  readonly agent: string;
  /** The wallet that pays the network fee and the rents of a sponsored claim; null otherwise. */
  readonly sponsor: string | null;
  readonly wrappedSol: string;
  /** The agent's associated accounts by mint, then by token program; none for wrapped SOL. */
  readonly tokenAccounts: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Who gets the fees; empty if the agent does. */
  readonly receivers: readonly ClaimReceiver[];
  /** The mints of the sandbox accounts from which a claim may transfer wrapped SOL, by account. */
  readonly sandboxVaults: ReadonlyMap<string, string>;
  /** Whether the transaction can land only on a sandbox. */
  readonly isMarked: boolean;
}

export type KnownParties = Omit<Parties, "sponsor" | "isMarked">;

const TOKEN_PROGRAMS = [TOKEN, TOKEN_2022];

/** Seeds of a pool's two fee vaults on the sandbox: before and after migration. */
export const VAULT_SEEDS = ["curve", "liquidity"] as const;

export function partiesOf(terms: ClaimTerms): KnownParties {
  const agent = bs58.encode(parseAddress("agent", terms.agent));
  const named = listOf(terms.tokenMint).map((mint) => bs58.encode(parseAddress("tokenMint", mint)));
  const pools = listOf(terms.sandboxPool ?? []).map((pool) => parseAddress("sandboxPool", pool));
  if (pools.length > 0 && pools.length !== named.length) {
    throw new InvalidArgumentError(
      `There are ${pools.length} sandboxPools of ${named.length} mints`,
    );
  }
  // A server's list may name wrapped SOL, whose account a sponsor must not be paid from.
  const mints = named.filter((mint) => mint !== WRAPPED_SOL_MINT);
  const accountsOf = (mint: string) =>
    new Map(TOKEN_PROGRAMS.map((one) => [one, builder.associated(agent, mint, one)]));
  return {
    agent,
    wrappedSol: builder.associated(agent, WRAPPED_SOL_MINT, TOKEN),
    tokenAccounts: new Map(mints.map((mint) => [mint, accountsOf(mint)])),
    receivers: receiversOf(terms.receivers),
    sandboxVaults: new Map(
      pools.flatMap((pool, index) =>
        sandboxVaults(pool).map((vault) => [vault, named[index] ?? ""] as const),
      ),
    ),
  };
}

/** Derives vaults as `createAccountWithSeed` does: no other account can have these addresses. */
export function sandboxVaults(pool: Uint8Array): readonly string[] {
  const program = bs58.decode(TOKEN);
  return VAULT_SEEDS.map((seed) => bs58.encode(addressWithSeed(pool, seed, program)));
}

function listOf(given: string | readonly string[]): readonly string[] {
  return typeof given === "string" ? [given] : given;
}

/** Returns whether an address is the agent's account of this token program for a claimed token. */
export function isTokenAccount(
  { tokenAccounts }: Pick<Parties, "tokenAccounts">,
  tokenProgram: string,
  address: string,
): boolean {
  return [...tokenAccounts.values()].some((accounts) => accounts.get(tokenProgram) === address);
}

/** Returns whether an address is the agent's wallet, or an account of it that a claim may pay. */
export function isOfAgent(parties: KnownParties, address: string): boolean {
  const isForToken = TOKEN_PROGRAMS.some((one) => isTokenAccount(parties, one, address));
  return isForToken || address === parties.agent || address === parties.wrappedSol;
}

export function parseAddress(name: string, address: string): Uint8Array {
  const bytes = typeof address === "string" ? decodeBase58(address, 32) : null;
  if (bytes !== null) return bytes;
  throw new InvalidArgumentError(`${name} is not an address, which is base58 of 32 bytes`);
}
