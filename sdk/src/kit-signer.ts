import { InvalidArgumentError, SignerError } from "./errors.ts";
import {
  readLegacyMessage,
  readUnsignedTransaction,
  withSignature,
} from "./internal/wire-transaction.ts";
import type { Signer } from "./signer.ts";

/** Keyed by address. */
type Signatures = Readonly<Record<string, ArrayLike<number> | null>>;

interface KitMessage {
  readonly content: ArrayLike<number>;
  readonly signatures: Signatures;
}

interface KitTransaction {
  readonly messageBytes: ArrayLike<number>;
  readonly signatures: Signatures;
}

/** A signer of `@solana/kit` that signs messages and transactions, such as its `KeyPairSigner`. */
export type KitSigner = { readonly address: string } & (
  | { signMessages(messages: readonly KitMessage[]): Promise<readonly Signatures[]> }
  | { modifyAndSignMessages(messages: readonly KitMessage[]): Promise<readonly KitMessage[]> }
) &
  (
    | { signTransactions(all: readonly KitTransaction[]): Promise<readonly Signatures[]> }
    | {
        modifyAndSignTransactions(
          all: readonly KitTransaction[],
        ): Promise<readonly KitTransaction[]>;
      }
  );

/**
 * A kit transaction must name the last block in which it can land; this module does not know it.
 */
const LAST_BLOCK_UNKNOWN = 2n ** 64n - 1n;

/**
 * Makes a signer from a signer of `@solana/kit`, even one that modifies what it signs: the client
 * refuses a claim with changes other than added Lighthouse assertions.
 *
 * @throws {InvalidArgumentError} if it cannot sign both messages and transactions
 * @example
 * import { createKeyPairSignerFromBytes } from "@solana/kit";
 * import { fromKitSigner, TokenctlClient } from "@tokenctl/sdk";
 *
 * const signer = fromKitSigner(await createKeyPairSignerFromBytes(secretKey));
 * const client = new TokenctlClient({ signer });
 */
export function fromKitSigner(signer: KitSigner): Signer {
  const { address } = signer;
  assertSigns(signer);
  const signatureIn = (signatures: Signatures | undefined): Uint8Array => {
    const signature = signatures?.[address];
    if (!signature) throw new SignerError(`The signer did not return a signature of ${address}`);
    return Uint8Array.from(signature);
  };
  return {
    publicKey: address,
    async signMessage(message) {
      const messages = [{ content: message, signatures: {} }];
      if ("signMessages" in signer) return signatureIn((await signer.signMessages(messages))[0]);
      const [signed] = await signer.modifyAndSignMessages(messages);
      return signatureIn(signed?.signatures);
    },
    async signTransaction(transaction) {
      const unsigned = readUnsignedTransaction(transaction, address);
      const { message, index } = unsigned;
      const { addresses, blockhash } = readLegacyMessage(message);
      const signers = addresses.slice(0, unsigned.signatures.length);
      const transactions = [
        {
          messageBytes: message,
          signatures: Object.fromEntries(signers.map((signer) => [signer, null])),
          lifetimeConstraint: { blockhash, lastValidBlockHeight: LAST_BLOCK_UNKNOWN },
        },
      ];
      if ("signTransactions" in signer) {
        const [signatures] = await signer.signTransactions(transactions);
        return withSignature(unsigned, index, signatureIn(signatures));
      }
      const [signed] = await signer.modifyAndSignTransactions(transactions);
      const changed = { ...unsigned, message: Uint8Array.from(signed?.messageBytes ?? []) };
      return withSignature(changed, index, signatureIn(signed?.signatures));
    },
  };
}

function assertSigns(signer: { readonly address: string }): void {
  const canOnlySend = "signAndSendTransactions" in signer;
  if (!("signTransactions" in signer || "modifyAndSignTransactions" in signer)) {
    throw new InvalidArgumentError(
      canOnlySend
        ? `The kit signer ${signer.address} can only send transactions (signAndSendTransactions)`
        : `The kit signer ${signer.address} does not sign transactions`,
      { hint: "The server sends claims: use a signer with signTransactions" },
    );
  }
  if (!("signMessages" in signer || "modifyAndSignMessages" in signer)) {
    throw new InvalidArgumentError(`The kit signer ${signer.address} does not sign messages`, {
      hint: "Signing in needs a signature of a message: use a signer with signMessages",
    });
  }
}
