import { InvalidArgumentError, SignerError } from "./errors.ts";
import type { Signer } from "./signer.ts";

/** An account of a Wallet Standard wallet. */
export interface StandardAccount {
  /** Base58. */
  readonly address: string;
}

/** The part of a Wallet Standard wallet that a signer needs. */
export interface StandardWallet<Account extends StandardAccount = StandardAccount> {
  readonly name: string;
  readonly accounts: readonly Account[];
  /** Keyed by name, for example `solana:signTransaction`. */
  readonly features: Readonly<Record<string, unknown>>;
}

interface SignMessage {
  signMessage(input: {
    account: StandardAccount;
    message: Uint8Array;
  }): Promise<readonly { signature: Uint8Array }[]>;
}

interface SignTransaction {
  readonly supportedTransactionVersions: readonly unknown[];
  signTransaction(input: {
    account: StandardAccount;
    transaction: Uint8Array;
    chain?: string;
  }): Promise<readonly { signedTransaction: Uint8Array }[]>;
}

const SIGN_MESSAGE = "solana:signMessage";
const SIGN_TRANSACTION = "solana:signTransaction";

/**
 * Makes a signer from a connected browser wallet that follows the Wallet Standard.
 *
 * @param account the account that signs; the wallet's first by default
 * @param chain for example `solana:mainnet`, passed with each transaction; default: the wallet's
 * @throws {InvalidArgumentError} if no account is connected, or if the wallet cannot sign both
 * messages and legacy transactions
 * @example
 * import { fromWalletStandard, type StandardWallet, TokenctlClient } from "@tokenctl/sdk";
 *
 * function clientOf(wallet: StandardWallet): TokenctlClient {
 *   return new TokenctlClient({ apiUrl: "https://tokens.example", signer: fromWalletStandard(wallet) });
 * }
 */
export function fromWalletStandard<Account extends StandardAccount>(
  wallet: StandardWallet<Account>,
  account: Account | undefined = wallet.accounts[0],
  chain?: `solana:${string}`,
): Signer {
  const { name, features } = wallet;
  const refuse = (fault: string, hint: string): never => {
    throw new InvalidArgumentError(`The wallet ${name} ${fault}`, { hint });
  };
  if (account === undefined) {
    return refuse("has no account connected", 'Call its "standard:connect" feature first');
  }
  const { address } = account;
  const missing = [SIGN_MESSAGE, SIGN_TRANSACTION].find((feature) => !(feature in features));
  const messages = features[SIGN_MESSAGE] as SignMessage;
  const transactions = features[SIGN_TRANSACTION] as SignTransaction;
  if (missing ?? !transactions.supportedTransactionVersions.includes("legacy")) {
    const what = missing ?? "legacy transactions";
    refuse(
      `does not offer ${what}`,
      "Use one that signs messages, and transactions without sending",
    );
  }
  return {
    publicKey: address,
    async signMessage(message) {
      // The client verifies that this message was signed.
      const [signed] = await messages.signMessage({ account, message });
      if (!signed) throw new SignerError(`The wallet ${name} did not return a signature`);
      return signed.signature;
    },
    async signTransaction(transaction) {
      const input = { account, transaction, ...(chain && { chain }) };
      const [signed] = await transactions.signTransaction(input);
      if (!signed) throw new SignerError(`The wallet ${name} did not return a transaction`);
      return signed.signedTransaction;
    },
  };
}
