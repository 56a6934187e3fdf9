import { type Keypair, Transaction } from "@solana/web3.js";
import type { Page } from "playwright-core";
import { keypairSigner } from "../../sdk/src/index.ts";

export type WalletManner = "signs" | "refuses" | "changes the transaction";

export interface TestWallet {
  readonly keypair: Keypair;
  readonly manner?: WalletManner;
}

/**
 * Injects a wallet of the Wallet Standard into each document that the page loads, as an extension does.
 * It records what it was asked in `window.asked`, and shows another account by `window.changeAccount`. Its key
 * stays here.
 *
 * @returns disposing leaves it out of the next document
 */
export function injectWallet(
  page: Page,
  { keypair, manner = "signs" }: TestWallet,
): Promise<AsyncDisposable> {
  const signer = keypairSigner(keypair);
  const sign = async (kind: Asked, bytes: number[]) => {
    if (kind === "message") return [...(await signer.signMessage(Uint8Array.from(bytes)))];
    if (manner === "refuses") throw new Error("User rejected the request.");
    const transaction = Transaction.from(bytes);
    if (manner === "changes the transaction") transaction.instructions.pop();
    transaction.partialSign(keypair);
    return [...transaction.serialize({ requireAllSignatures: false, verifySignatures: false })];
  };
  const publicKey = [...keypair.publicKey.toBytes()];
  const wallet = { address: keypair.publicKey.toBase58(), publicKey, sign };
  return page.addInitScript(registerWallet, wallet, { exposeFunctions: true });
}

type Asked = "message" | "transaction";

interface InjectedWallet {
  readonly address: string;
  readonly publicKey: number[];
  readonly sign: (kind: Asked, bytes: number[]) => Promise<number[]>;
}

interface Input {
  readonly message: Uint8Array;
  readonly transaction: Uint8Array;
}

function registerWallet({ address, publicKey, sign }: InjectedWallet): void {
  const asked: Asked[] = [];
  Object.assign(globalThis, { asked });
  const account = {
    address,
    publicKey: Uint8Array.from(publicKey),
    chains: ["solana:mainnet", "solana:devnet"],
    features: ["solana:signMessage", "solana:signTransaction"],
  };
  const signed = async (kind: Asked, inputs: Uint8Array[]) => {
    asked.push(kind);
    return await Promise.all(
      inputs.map(async (bytes) => Uint8Array.from(await sign(kind, [...bytes]))),
    );
  };
  const wallet = {
    version: "1.0.0",
    name: "Test Wallet",
    icon: "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=",
    chains: account.chains,
    accounts: [account],
    features: {
      "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: [account] }) },
      "standard:events": {
        version: "1.0.0",
        on: (_: string, tell: (changed: { accounts: { address: string }[] }) => void) => {
          const changeAccount = (shown: string) => tell({ accounts: [{ address: shown }] });
          Object.assign(globalThis, { changeAccount });
          return () => {};
        },
      },
      "solana:signMessage": {
        version: "1.0.0",
        signMessage: async (...inputs: Input[]) => {
          const messages = inputs.map(({ message }) => message);
          const signatures = await signed("message", messages);
          return messages.map((signedMessage, n) => ({ signedMessage, signature: signatures[n] }));
        },
      },
      "solana:signTransaction": {
        version: "1.0.0",
        supportedTransactionVersions: ["legacy", 0],
        signTransaction: async (...inputs: Input[]) => {
          const transactions = inputs.map(({ transaction }) => transaction);
          const all = await signed("transaction", transactions);
          return all.map((signedTransaction) => ({ signedTransaction }));
        },
      },
    },
  };
  const register = (api: { register: (added: typeof wallet) => void }) => api.register(wallet);
  const page = globalThis as unknown as EventTarget;
  page.addEventListener("wallet-standard:app-ready", (event) =>
    register((event as CustomEvent).detail),
  );
  page.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
}
