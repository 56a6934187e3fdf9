import { PublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import { base58 } from "../../base/base58.ts";
import type { LocalChain } from "../chain.ts";
import type { SignatureStatus } from "../chain-types.ts";
import type { Execution } from "../engine.ts";
import { describeTransactionError, type TransactionError } from "../transaction-error.ts";
import { innerInstructionsOf, returnDataOf } from "../transaction-meta.ts";
import { TransactionRefusedError } from "../transaction-refused.ts";
import { MAX_TRANSACTION_BYTES, MalformedTransactionError } from "../wire-transaction.ts";
import { accountEncodingOf, encodeAccount } from "./account-encoding.ts";
import { mintReader } from "./account-methods.ts";
import type { Allowance } from "./allowance.ts";
import { type Methods, slotAt, withContext } from "./method.ts";
import {
  asInteger,
  type Config,
  commitmentOf,
  type Params,
  parseAddress,
  parseSignature,
  requireMinContextSlot,
} from "./params.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";
import { encodeTransaction } from "./transaction-encoding.ts";

/** The most signatures a `getSignatureStatuses` may ask for (agave `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const MAX_SIGNATURE_STATUSES = 256;
/** For how many slots a node remembers statuses (agave `MAX_RECENT_BLOCKHASHES`). */
const STATUS_CACHE_SLOTS = 300;
/** The most that `getSignaturesForAddress` lists. */
const MAX_HISTORY = 1_000;
/** About what one of them has in the answer. */
const HISTORY_ENTRY_BYTES = 256;
/** How many times as large as in the ledger a transaction is in the answer, at most. */
const TRANSACTION_GROWTH = 4;

/** Methods that send transactions and tell what became of them. */
export const transactionMethods: Methods = {
  sendTransaction: (chain, params) => {
    const config = params.config(1);
    const bytes = decodeTransaction(params.string(0), config.encoding ?? "base58");
    requireMinContextSlot(config, chain.slot());
    try {
      return chain.sendTransaction(bytes, { skipPreflight: config.skipPreflight === true });
    } catch (error) {
      throw sendError(error);
    }
  },

  simulateTransaction: (chain, params, allowance) => simulate(chain, params, allowance),

  requestAirdrop: (chain, params) => {
    const to = new PublicKey(params.address(0));
    try {
      return chain.airdrop(to, BigInt(params.integer(1)));
    } catch (error) {
      throw sendError(error);
    }
  },

  getSignatureStatuses: (chain, params, allowance) => {
    const signatures = params.strings(0);
    if (signatures.length > MAX_SIGNATURE_STATUSES) {
      throw new RpcError(
        RPC_CODES.invalidParams,
        `Too many inputs provided; max ${MAX_SIGNATURE_STATUSES}`,
      );
    }
    allowance.name(signatures.length);
    // Without the search a node looks only where it keeps what it processed lately.
    const oldest =
      params.config(1).searchTransactionHistory === true ? 0 : chain.slot() - STATUS_CACHE_SLOTS;
    const statuses = signatures.map((signature) => {
      parseSignature(signature);
      const found = chain.signatureStatus(signature);
      return found === null || found.slot < oldest ? null : statusOf(chain, found);
    });
    return withContext(chain, { commitment: "processed" }, statuses);
  },

  getSignaturesForAddress: (chain, params, allowance) => {
    const config = params.config(1);
    const limit = config.limit == null ? MAX_HISTORY : asInteger(config.limit);
    if (limit === 0 || limit > MAX_HISTORY) {
      throw new RpcError(RPC_CODES.invalidParams, `Invalid limit; max ${MAX_HISTORY}`);
    }
    const signature = (name: string): Uint8Array | undefined =>
      typeof config[name] === "string" ? parseSignature(config[name]) : undefined;
    const range = {
      limit,
      lastSlot: slotAt(chain, config),
      before: signature("before"),
      until: signature("until"),
    };
    const entries = chain.history(new PublicKey(params.address(0)), range);
    allowance.answer(entries.length * HISTORY_ENTRY_BYTES);
    return entries.map((found) => ({
      signature: found.signature,
      slot: found.slot,
      err: found.error,
      memo: null,
      blockTime: found.blockTime,
      confirmationStatus: found.finalized ? "finalized" : "confirmed",
    }));
  },

  getTransaction: (chain, params, allowance) => {
    const signature = params.string(0);
    parseSignature(signature);
    // An encoding may stand in place of the configuration.
    const config = params.hasString(1) ? { encoding: params.string(1) } : params.config(1);
    if (commitmentOf(config) === "processed") {
      throw invalidParams("Method does not support commitment below `confirmed`");
    }
    const found = chain.getTransaction(signature);
    if (found === null || found.slot > slotAt(chain, config)) return null;
    allowance.answer(found.size * TRANSACTION_GROWTH);
    return encodeTransaction(found, config);
  },
};

function statusOf(chain: LocalChain, { slot, error, finalized }: SignatureStatus): unknown {
  return {
    slot,
    confirmations: finalized ? null : chain.slot() - slot,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus: finalized ? "finalized" : "confirmed",
  };
}

function simulate(chain: LocalChain, params: Params, allowance: Allowance): unknown {
  const config = params.config(1);
  const bytes = decodeTransaction(params.string(0), config.encoding ?? "base58");
  const verifySignatures = config.sigVerify === true;
  const replaceBlockhash = config.replaceRecentBlockhash === true;
  if (verifySignatures && replaceBlockhash) {
    throw invalidParams("sigVerify may not be used with replaceRecentBlockhash");
  }
  try {
    const { error, execution, replacement } = chain.simulateTransaction(bytes, {
      verifySignatures,
      replaceBlockhash,
    });
    if (error === "SignatureFailure") throw signatureFailure();
    const value = {
      ...simulationResult(error, execution),
      accounts: accountsAfter(chain, execution, config.accounts, allowance),
      innerInstructions:
        config.innerInstructions === true && execution !== null
          ? innerInstructionsOf(execution.meta)
          : null,
      replacementBlockhash: replacement,
    };
    return withContext(chain, { commitment: "processed" }, value);
  } catch (error) {
    throw sendError(error);
  }
}

function simulationResult(error: TransactionError | null, execution: Execution | null) {
  const units = Number(execution?.meta.computeUnitsConsumed() ?? 0n);
  return {
    err: error,
    logs: execution?.meta.logs() ?? [],
    accounts: null as unknown,
    unitsConsumed: units,
    returnData: execution === null ? null : returnDataOf(execution.meta),
    innerInstructions: null as unknown,
    replacementBlockhash: null as unknown,
  };
}

/** The accounts that the caller wants to see as they would be afterwards. */
function accountsAfter(
  chain: LocalChain,
  execution: Execution | null,
  wanted: unknown,
  allowance: Allowance,
): unknown {
  if (typeof wanted !== "object" || wanted === null) return null;
  const { addresses, encoding } = wanted as Config;
  if (!Array.isArray(addresses)) throw invalidParams("accounts.addresses must be a sequence");
  allowance.name(addresses.length);
  const form = accountEncodingOf({ encoding: encoding ?? "base64" });
  return addresses.map((address: unknown) => {
    const key = parseAddress(String(address));
    if (execution === null || execution.error !== null) return null;
    const name = base58.encode(key);
    const changed = execution.changes.find((change) => base58.encode(change.address) === name);
    const account = changed?.account ?? chain.getAccount(new PublicKey(key));
    if (account === null || account.lamports === 0n) return null;
    return encodeAccount(allowance.read(account), form, mintReader(chain, allowance));
  });
}

function decodeTransaction(text: string, encoding: unknown): Uint8Array {
  const most = encoding === "base58" ? 1_683 : 1_644;
  if (text.length > most) {
    throw new RpcError(
      RPC_CODES.invalidParams,
      `${String(encoding)} encoded solana_transaction::versioned::VersionedTransaction too large: ${text.length} bytes (max: encoded/raw ${most}/${MAX_TRANSACTION_BYTES})`,
    );
  }
  if (encoding === "base64") {
    const bytes = Buffer.from(text, "base64");
    if (bytes.toString("base64") !== text) throw invalidParams("invalid base64 encoding");
    return bytes;
  }
  if (encoding !== "base58") {
    throw invalidParams(
      `unsupported encoding: ${String(encoding)}. Supported encodings: base58, base64`,
    );
  }
  const bytes = bs58.decodeUnsafe(text);
  if (bytes === undefined) throw invalidParams("invalid base58 encoding");
  return bytes;
}

function signatureFailure(): RpcError {
  return new RpcError(
    RPC_CODES.signatureVerificationFailure,
    "Transaction signature verification failure",
  );
}

/** What a node answers to a transaction that the chain would not take. */
function sendError(error: unknown): unknown {
  if (error instanceof MalformedTransactionError) {
    return new RpcError(
      RPC_CODES.invalidParams,
      `failed to deserialize solana_transaction::versioned::VersionedTransaction: ${error.message}`,
    );
  }
  if (!(error instanceof TransactionRefusedError)) return error;
  if (error.error === "SignatureFailure") return signatureFailure();
  return new RpcError(
    RPC_CODES.preflightFailure,
    `Transaction simulation failed: ${describeTransactionError(error.error)}`,
    simulationResult(error.error, error.execution),
  );
}
