import { sameBytes } from "../account.ts";
import { type LocalChain, TransactionRefusedError } from "../chain.ts";
import type { Execution } from "../engine.ts";
import { describeTransactionError, type TransactionError } from "../transaction-error.ts";
import { returnDataOf } from "../transaction-meta.ts";
import { MalformedTransactionError } from "../wire-transaction.ts";
import { accountEncoder } from "./account-methods.ts";
import {
  type Allowance,
  type CallConfig,
  invalidParams,
  type Methods,
  parseAddress,
  RPC_CODES,
  RpcError,
  requireMinContextSlot,
  withContext,
} from "./method.ts";

/** The longest text of a transaction: a version 1 transaction in base64. */
const MAX_BASE64_CHARS = 5_464;

export const sendMethods: Methods = {
  sendTransaction: (chain, params) => {
    const config = params.config(1);
    const bytes = decodeTransaction(params.string(0), config.encoding);
    requireMinContextSlot(config, chain.slot());
    try {
      return chain.sendTransaction(bytes, { skipPreflight: config.skipPreflight === true });
    } catch (error) {
      throw sendError(error);
    }
  },

  simulateTransaction: (chain, params, allowance) => {
    const config = params.config(1);
    const bytes = decodeTransaction(params.string(0), config.encoding);
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
        ...rpcSimulationResult(error, execution),
        accounts: accountsAfter(chain, execution, { asked: config.accounts, allowance }),
        replacementBlockhash: replacement,
      };
      return withContext(chain, { commitment: "processed" }, value);
    } catch (error) {
      throw sendError(error);
    }
  },

  requestAirdrop: (chain, params) => {
    try {
      return chain.airdrop(params.address(0), BigInt(params.integer(1)));
    } catch (error) {
      throw sendError(error);
    }
  },
};

function decodeTransaction(text: string, encoding: unknown): Uint8Array {
  if (encoding !== "base64") throw invalidParams("send transactions with the encoding base64");
  if (text.length > MAX_BASE64_CHARS) {
    throw invalidParams(
      `transaction too large: ${text.length} characters (max: ${MAX_BASE64_CHARS})`,
    );
  }
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw invalidParams("invalid base64 encoding");
  return bytes;
}

function accountsAfter(
  chain: LocalChain,
  execution: Execution | null,
  { asked, allowance }: { readonly asked: unknown; readonly allowance: Allowance },
): unknown {
  if (typeof asked !== "object" || asked === null) return null;
  const { addresses, encoding } = asked as CallConfig;
  if (!Array.isArray(addresses)) throw invalidParams("accounts.addresses must be an array");
  allowance.countNames(addresses.length);
  const encode = accountEncoder({ encoding }, allowance);
  return addresses.map((address: unknown) => {
    const key = parseAddress(String(address));
    if (execution === null || execution.error !== null) return null;
    const changed = execution.changes.find((change) => sameBytes(change.address, key));
    const account = changed?.account ?? chain.getAccount(key);
    return account === null || account.lamports === 0n ? null : encode(account);
  });
}

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
    rpcSimulationResult(error.error, error.execution),
  );
}

function signatureFailure(): RpcError {
  return new RpcError(
    RPC_CODES.signatureVerificationFailure,
    "Transaction signature verification failure",
  );
}

/** A simulation as the RPC writes it (agave `RpcSimulateTransactionResult`). */
function rpcSimulationResult(error: TransactionError | null, execution: Execution | null) {
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
