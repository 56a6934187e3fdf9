import { cp } from "node:fs/promises";
import { join } from "node:path";
import type { Keypair } from "@solana/web3.js";
import { succeed } from "../../support/packages.ts";

/** Signs the transaction of step 1 as a program does that uses one library. @returns step 2's bytes */
type SignClaim = (transaction: Uint8Array, keypair: Keypair) => Promise<Uint8Array>;

export interface ClaimSigner {
  readonly own: SignClaim;
  readonly sponsored: SignClaim;
}

type Web3 = typeof import("@solana/web3.js");
type Kit = typeof import("@solana/kit");

/** What web3.js 3 changed: keypairs, signatures and bytes come as promises. */
interface Web3Rc {
  readonly Keypair: { fromSecretKey(secretKey: Uint8Array): Promise<unknown> };
  readonly Transaction: {
    from(bytes: Uint8Array): {
      sign(keypair: unknown): Promise<void>;
      partialSign(keypair: unknown): Promise<void>;
      serialize(config?: { requireAllSignatures: boolean }): Promise<Uint8Array>;
    };
  };
}

/** Installs the libraries of `package.json` beside this file, whose versions its lockfile fixes. */
export async function installSigners(folder: string): Promise<Record<string, ClaimSigner>> {
  for (const file of ["package.json", "bun.lock"]) {
    await cp(join(import.meta.dir, file), join(folder, file));
  }
  await succeed([process.execPath, "install", "--frozen-lockfile"], folder, {
    HOME: process.env.HOME ?? "/root",
  });
  const load = (name: string) => import(join(folder, "node_modules", name));
  return {
    "web3.js 1.95.8": byWeb3(await load("web3-1.95.8")),
    "web3.js 1.98.4": byWeb3(await load("web3-1.98.4")),
    "web3.js 1.99.0": byWeb3(await import("@solana/web3.js")),
    "web3.js 3.0.0-rc.2": byWeb3Rc(await load("web3-3.0.0-rc.2")),
    "kit 6.9.0": byKit(await load("kit-6.9")),
    "kit 7.1.1": byKit(await load("kit-7.1")),
    "kit 8.4.0": byKit(await import("@solana/kit")),
  };
}

function byWeb3({ Keypair, Transaction }: Web3): ClaimSigner {
  return {
    async own(bytes, { secretKey }) {
      const transaction = Transaction.from(bytes);
      transaction.sign(Keypair.fromSecretKey(secretKey));
      return transaction.serialize();
    },
    async sponsored(bytes, { secretKey }) {
      const transaction = Transaction.from(bytes);
      transaction.partialSign(Keypair.fromSecretKey(secretKey));
      return transaction.serialize({ requireAllSignatures: false });
    },
  };
}

function byWeb3Rc({ Keypair, Transaction }: Web3Rc): ClaimSigner {
  return {
    async own(bytes, { secretKey }) {
      const transaction = Transaction.from(bytes);
      await transaction.sign(await Keypair.fromSecretKey(secretKey));
      return transaction.serialize();
    },
    async sponsored(bytes, { secretKey }) {
      const transaction = Transaction.from(bytes);
      await transaction.partialSign(await Keypair.fromSecretKey(secretKey));
      return transaction.serialize({ requireAllSignatures: false });
    },
  };
}

function byKit(kit: Kit): ClaimSigner {
  const parts = async (bytes: Uint8Array, { secretKey }: Keypair) => ({
    keyPairs: [await kit.createKeyPairFromBytes(secretKey)],
    transaction: kit.getTransactionDecoder().decode(bytes),
  });
  const encoded = (
    transaction: Parameters<ReturnType<Kit["getTransactionEncoder"]>["encode"]>[0],
  ) => Uint8Array.from(kit.getTransactionEncoder().encode(transaction));
  return {
    async own(bytes, keypair) {
      const { keyPairs, transaction } = await parts(bytes, keypair);
      return encoded(await kit.signTransaction(keyPairs, transaction));
    },
    async sponsored(bytes, keypair) {
      const { keyPairs, transaction } = await parts(bytes, keypair);
      return encoded(await kit.partiallySignTransaction(keyPairs, transaction));
    },
  };
}
