import type { AccountChange, StoredAccount } from "../account.ts";
import { RPC_CODES, RpcError } from "./rpc-error.ts";

/** The most calls a batch may hold. */
export const MAX_CALLS = 100;
/** The most addresses and signatures that the calls of a batch may name in lists together. */
const MAX_NAMES = 1_000;
/** The most accounts that the calls of a batch may look through together. */
const MAX_LOOKS = 100_000;
/**
 * The most bytes that the answer to a batch may have: enough for the largest account there can be,
 * 10 MiB, in base64.
 */
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;
/** About what an account's answer has beside its data. */
const ACCOUNT_BYTES = 512;

/** What one request, be it a call or a batch, may still make the chain read and answer. */
export class Allowance {
  #names = MAX_NAMES;
  #looks = MAX_LOOKS;
  #bytes = MAX_ANSWER_BYTES;

  /** Names so many addresses or signatures. */
  name(count: number): void {
    this.#names -= count;
    if (this.#names < 0) {
      throw refusal(`The request names more than ${MAX_NAMES} addresses or signatures: split it`);
    }
  }

  /** Looks through accounts, one at a time. */
  *look(accounts: Iterable<AccountChange>): Generator<AccountChange> {
    for (const account of accounts) {
      this.#looks -= 1;
      if (this.#looks < 0) {
        throw refusal(
          `The request would look through more than ${MAX_LOOKS} accounts: ask for less`,
        );
      }
      yield account;
    }
  }

  /** Reads an account, in whatever form it is answered then. */
  read<Account extends StoredAccount | null>(account: Account): Account {
    this.answer(ACCOUNT_BYTES + Math.ceil(((account?.data.length ?? 0) * 4) / 3));
    return account;
  }

  /** Answers with so many bytes. To be called before they are made. */
  answer(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) {
      throw refusal(
        `The answer would be larger than ${MAX_ANSWER_BYTES} bytes: ask for less at a time`,
      );
    }
  }
}

function refusal(text: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, text);
}
