import { decodeBase58 } from "@tokenctl/shared/base58";
import { WRAPPED_SOL_MINT } from "@tokenctl/shared/payout";
import { TOKEN } from "@tokenctl/shared/programs/ids";
import { formatSol } from "@tokenctl/shared/sol";
import { ADDRESS_BYTES } from "@tokenctl/shared/wire-transaction";
import { builder } from "../internal/program-address.ts";
import type { ExplainedPower } from "./explanation.ts";

export interface Words {
  readonly text: string;
  readonly gives?: ExplainedPower[];
}

export type MintOf = readonly [mint: string, tokenProgram: string];

export class Names {
  readonly #accounts = new Map<string, { readonly owner: string; readonly mint: string }>();

  constructor(private readonly signers: readonly string[]) {}

  /** Returns `the fee payer`, `signer 2`, `signer 2's account for wrapped SOL`, or the address. */
  of(address: string, mints: readonly MintOf[] = [[WRAPPED_SOL_MINT, TOKEN]]): string {
    const name = this.#nameOf(address);
    if (name !== null) return name;
    if (!this.#accounts.has(address)) this.#find(address, mints);
    const found = this.#accounts.get(address);
    if (!found) return address;
    // Not `of`: an instruction may say that an account owns itself.
    return `${this.#nameOf(found.owner) ?? found.owner}'s account for ${this.token(found.mint)}`;
  }

  #nameOf(wallet: string): string | null {
    const place = this.signers.indexOf(wallet);
    if (place < 0) return null;
    return place === 0 ? "the fee payer" : `signer ${place + 1}`;
  }

  #find(address: string, mints: readonly MintOf[]): void {
    for (const owner of this.signers) {
      for (const [mint, program] of mints) {
        // An entry of a lookup table is not an address.
        if (![mint, program].every((text) => decodeBase58(text, ADDRESS_BYTES))) continue;
        if (builder.associated(owner, mint, program) === address) {
          this.isAccountOf(address, owner, mint);
        }
      }
    }
  }

  /** Remembers whose account an address is. The program that makes the account checks this. */
  isAccountOf(address: string, owner: string, mint: string): void {
    this.#accounts.set(address, { owner, mint });
  }

  mintOf(account: string): string | null {
    return this.#accounts.get(account)?.mint ?? null;
  }

  token(mint: string | null): string {
    if (mint === null) return "a token that is not named";
    return mint === WRAPPED_SOL_MINT ? "wrapped SOL" : `token ${mint}`;
  }

  /** Returns for example `0.5 wrapped SOL`, or `1 unit (the smallest) of token 7xKX…`. */
  amount(units: bigint, mint: string | null): string {
    if (mint === WRAPPED_SOL_MINT) return `${formatSol(units)} wrapped SOL`;
    return `${units} ${units === 1n ? "unit" : "units"} (the smallest) of ${this.token(mint)}`;
  }
}
