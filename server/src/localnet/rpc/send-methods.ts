import { sameBytes } from "../accounts.ts";
import { type LocalChain, type Simulation, TransactionRefusedError } from "../chain.ts";
import { describeTransactionError } from "../transaction-error.ts";
import { NO_LOADED_ADDRESSES, returnDataOf } from "../transaction-meta.ts";
import { MalformedTransactionError } from "../wire-transaction.ts";
import { accountEncoder } from "./account-methods.ts";
import {
  type Allowance,
  type CallConfig,
  invalidParams,
  type Methods,
  notOffered,
  parseAddress,
  RPC_CODES,
  RpcError,
  refused,
  slotAt,
  withContext,
} from "./method.ts";

const TYPE = "solana_transaction::versioned::VersionedTransaction";
/** The most characters and bytes of a transaction (agave `decode_and_deserialize`). */
const TRANSACTION_LIMITS = {
  earlier: { base64: 1_644, raw: 1_232 },
  version1: { base64: 5_464, raw: 4_096 },
} as const;
/** The base64 of version 1 and later starts with these characters or higher ones. */
const VERSION_1_BASE64 = "gQ";

export const sendMethods: Methods = {
  sendTransaction: (chain, params) => {
    const config = params.config(1);
    const bytes = decodeTransaction(params.string(0), config.encoding);
    const skipPreflight = config.skipPreflight === true;
    const commitment = skipPreflight ? "processed" : config.preflightCommitment;
    const at = slotAt(chain, { ...config, commitment });
    return chain.sendTransaction(bytes, { skipPreflight, at });
  },

  simulateTransaction: (chain, params, allowance) => {
    const config = params.config(1);
    const bytes = decodeTransaction(params.string(0), config.encoding);
    const at = slotAt(chain, config);
    const verifySignatures = config.sigVerify === true;
    const replaceBlockhash = config.replaceRecentBlockhash === true;
    if (verifySignatures && replaceBlockhash) {
      throw refused("sigVerify may not be used with replaceRecentBlockhash");
    }
    const options = { verifySignatures, replaceBlockhash, at };
    const simulation = chain.simulateTransaction(bytes, options);
    const { effects, replacement } = simulation;
    return withContext(chain, config, {
      ...rpcSimulationResult(simulation),
      ...effects?.balances,
      accounts: accountsAfter(chain, simulation, { asked: config.accounts, allowance }),
      loadedAddresses: NO_LOADED_ADDRESSES,
      replacementBlockhash: replacement,
    });
  },

  requestAirdrop: (chain, params) => chain.airdrop(params.address(0), BigInt(params.integer(1))),
};

function decodeTransaction(text: string, encoding: unknown): Uint8Array {
  if (encoding !== "base64") throw notOffered("base64");
  const isVersion1 = text.slice(0, 2) >= VERSION_1_BASE64;
  const most = isVersion1 ? TRANSACTION_LIMITS.version1 : TRANSACTION_LIMITS.earlier;
  if (text.length > most.base64) {
    throw refused(
      `base64 encoded ${TYPE} too large: ${text.length} bytes (max: encoded/raw ${most.base64}/${most.raw})`,
    );
  }
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") !== text) throw refused("invalid base64 encoding");
  if (bytes.length > most.raw) {
    throw refused(`decoded ${TYPE} too large: ${bytes.length} bytes (max: ${most.raw} bytes)`);
  }
  return bytes;
}

function accountsAfter(
  chain: LocalChain,
  { execution, effects }: Simulation,
  { asked, allowance }: { readonly asked: unknown; readonly allowance: Allowance },
): unknown {
  if (typeof asked !== "object" || asked === null) return null;
  const { addresses, encoding = "base64" } = asked as CallConfig;
  if (!Array.isArray(addresses)) throw invalidParams("accounts.addresses must be an array");
  const most = effects?.balances.preBalances.length ?? addresses.length;
  if (addresses.length > most) throw refused(`Too many accounts provided; max ${most}`);
  const encode = accountEncoder({ encoding }, allowance);
  return addresses.map((address: unknown) => {
    const key = parseAddress(String(address));
    if (execution?.error !== null) return null;
    const changed = effects?.changes.find((change) => sameBytes(change.address, key));
    const account = changed?.account ?? chain.getAccount(key);
    return account === null || account.lamports === 0n ? null : encode(account);
  });
}

/** Returns the RPC's error for a refusal of the chain's; null if it is a fault. */
export function readRpcError(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error;
  if (error instanceof MalformedTransactionError) return refused(error.message);
  if (!(error instanceof TransactionRefusedError)) return null;
  const message = `Transaction simulation failed: ${describeTransactionError(error.error)}`;
  return new RpcError(RPC_CODES.preflightFailure, message, rpcSimulationResult(error.simulation));
}

/** A simulation for a refused transaction (agave `RpcSimulateTransactionResult`). */
function rpcSimulationResult({ error, execution, effects }: Simulation) {
  return {
    err: error,
    logs: execution?.meta.logs() ?? [],
    accounts: null,
    unitsConsumed: Number(execution?.meta.computeUnitsConsumed() ?? 0n),
    loadedAccountsDataSize: 0,
    returnData: execution === null ? null : returnDataOf(execution.meta),
    innerInstructions: null,
    replacementBlockhash: null,
    fee: effects?.fee ?? null,
    preBalances: null,
    postBalances: null,
    preTokenBalances: null,
    postTokenBalances: null,
    loadedAddresses: null,
  };
}
