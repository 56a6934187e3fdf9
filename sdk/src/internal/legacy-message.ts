import { readMessage } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";

/** A legacy message with resolved addresses, base58. */
export interface LegacyMessage {
  readonly requiredSigners: number;
  /** The fee payer comes first. */
  readonly addresses: readonly string[];
  readonly writable: ReadonlySet<string>;
  readonly blockhash: string;
  readonly instructions: readonly {
    readonly program: string;
    readonly accounts: readonly string[];
    readonly data: Uint8Array;
  }[];
}

/** @throws {RangeError} if it is not a canonical legacy message, or names an unlisted account */
export function readLegacyMessage(bytes: Uint8Array): LegacyMessage {
  // The high bit marks a versioned message; a legacy one starts with its count of signers.
  if ((bytes[0] ?? 0) & 0x80) throw new RangeError("it is versioned, but a claim is legacy");
  const message = readMessage(bytes);
  const { requiredSignatures: signers, readonlySigned, readonlyUnsigned } = message;
  const addresses = message.staticKeys.map((key) => bs58.encode(key));
  const isWritable = (_: string, place: number) =>
    place < signers
      ? place < signers - readonlySigned
      : place < addresses.length - readonlyUnsigned;
  const address = (place: number): string => {
    const found = addresses[place];
    if (found !== undefined) return found;
    throw new RangeError(`it refers to account ${place} of ${addresses.length}`);
  };
  return {
    requiredSigners: signers,
    addresses,
    writable: new Set(addresses.filter(isWritable)),
    blockhash: bs58.encode(message.blockhash),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      program: address(programIdIndex),
      accounts: Array.from(accounts, address),
      data,
    })),
  };
}
