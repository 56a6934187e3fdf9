/**
 * A browser wallet, bundled and injected into the page by the tests. `SECRET_KEY` and `MANNER` are defined
 * by the bundler.
 */
import { Keypair, Transaction } from "@solana/web3.js";
import nacl from "tweetnacl";

declare const SECRET_KEY: number[];
declare const MANNER: string;

const keypair = Keypair.fromSecretKey(Uint8Array.from(SECRET_KEY));
const asked: string[] = [];
(globalThis as { asked?: string[] }).asked = asked;

const account = {
  address: keypair.publicKey.toBase58(),
  publicKey: keypair.publicKey.toBytes(),
  chains: ["solana:mainnet", "solana:devnet"],
  features: ["solana:signMessage", "solana:signTransaction"],
};

interface Input {
  readonly message: Uint8Array;
  readonly transaction: Uint8Array;
}

const wallet = {
  version: "1.0.0",
  name: "Test Wallet",
  icon: "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=",
  chains: account.chains,
  accounts: [account],
  features: {
    "standard:connect": { version: "1.0.0", connect: async () => ({ accounts: [account] }) },
    "standard:events": { version: "1.0.0", on: () => () => {} },
    "solana:signMessage": {
      version: "1.0.0",
      signMessage: async (...inputs: Input[]) => {
        asked.push("message");
        return inputs.map(({ message }) => ({
          signedMessage: message,
          signature: nacl.sign.detached(message, keypair.secretKey),
        }));
      },
    },
    "solana:signTransaction": {
      version: "1.0.0",
      supportedTransactionVersions: ["legacy", 0],
      signTransaction: async (...inputs: Input[]) => {
        asked.push("transaction");
        if (MANNER === "refuses") throw new Error("User rejected the request.");
        return inputs.map(({ transaction }) => ({ signedTransaction: sign(transaction) }));
      },
    },
  },
};

function sign(bytes: Uint8Array): Uint8Array {
  const transaction = Transaction.from(bytes);
  if (MANNER === "changes the transaction") transaction.instructions.pop();
  transaction.partialSign(keypair);
  return transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
}

const register = (api: { register: (added: typeof wallet) => void }) => api.register(wallet);
const page = globalThis as unknown as EventTarget;
page.addEventListener("wallet-standard:app-ready", (event) =>
  register((event as CustomEvent).detail),
);
page.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", { detail: register }));
