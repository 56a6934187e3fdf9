import { describe, expect, test } from "bun:test";
import type {
  SolanaSignMessageFeature,
  SolanaSignMessageInput,
  SolanaSignTransactionFeature,
  SolanaSignTransactionInput,
} from "@solana/wallet-standard-features";
import type { Wallet, WalletAccount } from "@wallet-standard/base";
import { signGuarded } from "../../test/support/assertions.ts";
import {
  agent,
  build,
  fromBase64,
  keypair,
  localClaim,
  terms,
} from "../test/claim-transactions.ts";
import { signClaim } from "../test/sign-claim.ts";
import { InvalidArgumentError } from "./errors.ts";
import { keypairSigner } from "./signer.ts";
import { fromWalletStandard } from "./wallet-standard-signer.ts";

const other = keypair(31);
const message = new TextEncoder().encode("Sign this message to authenticate: 1");
const claim = build(localClaim());

const accountOf = ({ publicKey }: typeof agent): WalletAccount => ({
  address: publicKey.toBase58(),
  publicKey: publicKey.toBytes(),
  chains: ["solana:mainnet"],
  features: ["solana:signMessage", "solana:signTransaction"],
});
const accounts = [accountOf(agent), accountOf(other)];
const signerOf = (account: WalletAccount) =>
  keypairSigner([agent, other].find((key) => key.publicKey.toBase58() === account.address) ?? "");

const chains: (string | undefined)[] = [];

const signsMessages: SolanaSignMessageFeature = {
  "solana:signMessage": {
    version: "1.1.0",
    signMessage: async (...inputs: readonly SolanaSignMessageInput[]) =>
      Promise.all(
        inputs.map(async ({ account, message }) => ({
          signedMessage: message,
          signature: await signerOf(account).signMessage(message),
        })),
      ),
  },
};

const signsTransactions: SolanaSignTransactionFeature = {
  "solana:signTransaction": {
    version: "1.0.0",
    supportedTransactionVersions: ["legacy", 0],
    signTransaction: async (...inputs: readonly SolanaSignTransactionInput[]) =>
      Promise.all(
        inputs.map(async ({ account, transaction, chain }) => {
          chains.push(chain);
          return { signedTransaction: await signerOf(account).signTransaction(transaction) };
        }),
      ),
  },
};

const walletWith = (features: Wallet["features"], connected = accounts): Wallet => ({
  version: "1.0.0",
  name: "Strongbox",
  icon: "data:image/png;base64,",
  chains: ["solana:mainnet"],
  features,
  accounts: connected,
});
const wallet = walletWith({ ...signsMessages, ...signsTransactions });

describe("fromWalletStandard", () => {
  test("signs with the wallet's first account, or with the one that is named", async () => {
    for (const [account, key] of [
      [undefined, agent],
      [accounts[1], other],
    ] as const) {
      const signer = fromWalletStandard(wallet, account);
      const expected = keypairSigner(key);
      expect(signer.publicKey).toBe(expected.publicKey);
      expect(await signer.signMessage(message)).toEqual(await expected.signMessage(message));
      expect(await signer.signTransaction(claim)).toEqual(await expected.signTransaction(claim));
    }
  });

  test("names the chain to the wallet if there is one", async () => {
    chains.length = 0;
    await fromWalletStandard(wallet).signTransaction(claim);
    await fromWalletStandard(wallet, accounts[0], "solana:devnet").signTransaction(claim);
    expect(chains).toEqual([undefined, "solana:devnet"]);
  });

  test("passes a claim on to which the wallet added assertions", async () => {
    const feature = signsTransactions["solana:signTransaction"];
    const guarding = walletWith({
      ...signsMessages,
      "solana:signTransaction": {
        ...feature,
        signTransaction: async ({ transaction }: SolanaSignTransactionInput) => [
          { signedTransaction: signGuarded(transaction, agent) },
        ],
      },
    });
    const base64 = Buffer.from(claim).toString("base64");
    const signed = await signClaim(fromWalletStandard(guarding), base64, terms);
    expect(fromBase64(signed)).toEqual(Uint8Array.from(signGuarded(claim, agent)));
  });

  const refused: Record<string, [Wallet, string]> = {
    "without transactions": [walletWith(signsMessages), "does not offer solana:signTransaction"],
    "without messages": [walletWith(signsTransactions), "does not offer solana:signMessage"],
    "without legacy transactions": [
      walletWith({
        ...signsMessages,
        "solana:signTransaction": {
          ...signsTransactions["solana:signTransaction"],
          supportedTransactionVersions: [0],
        },
      }),
      "does not offer legacy transactions",
    ],
    "that is not connected": [
      walletWith({ ...signsMessages, ...signsTransactions }, []),
      "Strongbox has no account connected",
    ],
  };
  for (const [what, [refusedWallet, saw]] of Object.entries(refused)) {
    test(`refuses by name a wallet ${what}`, () => {
      expect(() => fromWalletStandard(refusedWallet)).toThrow(InvalidArgumentError);
      expect(() => fromWalletStandard(refusedWallet)).toThrow(saw);
    });
  }
});
