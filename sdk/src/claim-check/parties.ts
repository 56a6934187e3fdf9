import { decodeBase58 } from "@tokenctl/shared/base58";
import bs58 from "bs58";
import { InvalidArgumentError } from "../errors.ts";
import { findProgramAddress } from "../internal/program-address.ts";
import {
  ASSOCIATED_TOKEN_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from "./addresses.ts";
import { sandboxVaults } from "./sandbox-vaults.ts";
import type { ClaimTerms } from "./terms.ts";

/** The wallet and the accounts that a claim may pay: base58 addresses. */
export interface Parties {
  /** The wallet that signs and is paid. */
  readonly agent: string;
  /** The wallet that pays the network fee and the rents of a sponsored claim; null otherwise. */
  readonly sponsor: string | null;
  /** The mint of the token whose fees are claimed. */
  readonly mint: string;
  /** The agent's associated account for wrapped SOL. */
  readonly wrappedSol: string;
  /** The agent's associated account for the token, by the token program that may own the mint. */
  readonly tokenAccounts: ReadonlyMap<string, string>;
  /** Accounts from which a claim may transfer wrapped SOL; empty unless the server is a sandbox. */
  readonly sandboxVaults: readonly string[];
}

/** @throws {InvalidArgumentError} if the agent, the mint or the pool is not an address */
export function partiesOf(terms: ClaimTerms): Omit<Parties, "sponsor"> {
  const agent = parseAddress("agent", terms.agent);
  const mint = parseAddress("tokenMint", terms.tokenMint);
  const tokenAccount = (tokenProgram: string) => associatedAccount(agent, mint, tokenProgram);
  return {
    agent: bs58.encode(agent),
    mint: bs58.encode(mint),
    wrappedSol: associatedAccount(agent, bs58.decode(WRAPPED_SOL_MINT), TOKEN_PROGRAM),
    tokenAccounts: new Map([
      [TOKEN_PROGRAM, tokenAccount(TOKEN_PROGRAM)],
      [TOKEN_2022_PROGRAM, tokenAccount(TOKEN_2022_PROGRAM)],
    ]),
    sandboxVaults:
      terms.sandboxPool === undefined
        ? []
        : sandboxVaults(parseAddress("sandboxPool", terms.sandboxPool)),
  };
}

/** @returns whether an address is the agent's wallet or one of its accounts that a claim may pay */
export function isOfAgent(parties: Omit<Parties, "sponsor">, address: string): boolean {
  return (
    address === parties.agent ||
    address === parties.wrappedSol ||
    [...parties.tokenAccounts.values()].includes(address)
  );
}

function associatedAccount(owner: Uint8Array, mint: Uint8Array, tokenProgram: string): string {
  const seeds = [owner, bs58.decode(tokenProgram), mint];
  return bs58.encode(findProgramAddress(seeds, bs58.decode(ASSOCIATED_TOKEN_PROGRAM)));
}

function parseAddress(name: string, address: string): Uint8Array {
  const bytes = typeof address === "string" ? decodeBase58(address, 32) : null;
  if (bytes !== null) return bytes;
  throw new InvalidArgumentError(`${name} is not an address: base58 of 32 bytes`);
}
