import type { AccountChange, StoredAccount } from "../account.ts";
import { RPC_CODES, RpcError } from "./rpc-error.ts";

/** The most calls in a batch. */
export const MAX_CALLS = 100;
/** The most addresses and signatures in the lists of a request, all calls together. */
const MAX_NAMES = 1_000;
/** The most accounts that a request may scan, all calls together. */
const MAX_SCANNED_ACCOUNTS = 100_000;
/** The most bytes in an answer: enough for the largest possible account, 10 MiB, in base64. */
const MAX_ANSWER_BYTES = 16 * 1_024 * 1_024;
/** About how many bytes of an answer an account takes besides its data. */
const ACCOUNT_BYTES = 512;

/** What one request, a call or a batch, may still cost the chain. */
export class Allowance {
  #names = MAX_NAMES;
  #scans = MAX_SCANNED_ACCOUNTS;
  #bytes = MAX_ANSWER_BYTES;

  countNames(count: number): void {
    this.#names -= count;
    if (this.#names < 0) {
      throw refusal(`The request names more than ${MAX_NAMES} addresses or signatures: split it`);
    }
  }

  *scan(accounts: Iterable<AccountChange>): Generator<AccountChange> {
    for (const account of accounts) {
      this.#scans -= 1;
      if (this.#scans < 0) {
        throw refusal(
          `The request would scan more than ${MAX_SCANNED_ACCOUNTS} accounts: request less at a time`,
        );
      }
      yield account;
    }
  }

  /** Counts the bytes of an account, whatever its encoding. */
  countAccount(account: StoredAccount | null): void {
    this.countBytes(ACCOUNT_BYTES + Math.ceil(((account?.data.length ?? 0) * 4) / 3));
  }

  /** Counts bytes of the answer. Call it before they are made. */
  countBytes(bytes: number): void {
    this.#bytes -= bytes;
    if (this.#bytes < 0) {
      throw refusal(
        `The answer would be larger than ${MAX_ANSWER_BYTES} bytes: request less at a time`,
      );
    }
  }
}

function refusal(text: string): RpcError {
  return new RpcError(RPC_CODES.invalidRequest, text);
}
