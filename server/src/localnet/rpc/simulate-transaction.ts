import { PublicKey } from "@solana/web3.js";
import { sameBytes } from "../bytes.ts";
import type { LocalChain } from "../chain.ts";
import type { Execution } from "../engine.ts";
import { innerInstructionsOf } from "../transaction-meta.ts";
import { accountEncodingOf, encodeAccount } from "./account-encoding.ts";
import { mintReader } from "./account-methods.ts";
import type { Allowance } from "./allowance.ts";
import { decodeTransaction } from "./decode-transaction.ts";
import { type Config, type Params, parseAddress, withContext } from "./method.ts";
import { invalidParams } from "./rpc-error.ts";
import { rpcSimulationResult, sendError, signatureFailure } from "./send-error.ts";

/** The method `simulateTransaction`. */
export function simulateTransaction(
  chain: LocalChain,
  params: Params,
  allowance: Allowance,
): unknown {
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
      ...rpcSimulationResult(error, execution),
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

/** The accounts that the caller asks for, as they would be after the transaction. */
function accountsAfter(
  chain: LocalChain,
  execution: Execution | null,
  requested: unknown,
  allowance: Allowance,
): unknown {
  if (typeof requested !== "object" || requested === null) return null;
  const { addresses, encoding } = requested as Config;
  if (!Array.isArray(addresses)) throw invalidParams("accounts.addresses must be an array");
  allowance.countNames(addresses.length);
  const accountEncoding = accountEncodingOf({ encoding: encoding ?? "base64" });
  return addresses.map((address: unknown) => {
    const key = parseAddress(String(address));
    if (execution === null || execution.error !== null) return null;
    const changed = execution.changes.find((change) => sameBytes(change.address, key));
    const account = changed?.account ?? chain.getAccount(new PublicKey(key));
    if (account === null || account.lamports === 0n) return null;
    return encodeAccount(allowance.read(account), accountEncoding, mintReader(chain, allowance));
  });
}
