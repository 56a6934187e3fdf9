import bs58 from "bs58";

/** Bytes of an address and of a blockhash. */
const ADDRESS_BYTES = 32;

/** A legacy message, as the bytes have it. */
export interface LegacyMessage {
  readonly requiredSigners: number;
  /** Base58. The fee payer is the first. */
  readonly addresses: readonly string[];
  /** For each address, whether the transaction may write to it. */
  readonly writable: readonly boolean[];
  /** Base58. */
  readonly blockhash: string;
  readonly instructions: readonly LegacyInstruction[];
}

/** One instruction, with its accounts as places in the message's list of addresses. */
interface LegacyInstruction {
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/**
 * Reads a legacy message: three counts, the addresses, the blockhash, the instructions. It accepts
 * only the canonical form, because another reader could read anything else differently. Source:
 * Solana's `legacy::Message` and `short_vec`.
 *
 * @throws {RangeError} if the bytes end too early, go on after the last instruction, or write a
 * length in more bytes than it needs
 */
export function readLegacyMessage(bytes: Uint8Array): LegacyMessage {
  const reader = new Reader(bytes);
  const requiredSigners = reader.byte();
  const readOnlySigners = reader.byte();
  const readOnlyOthers = reader.byte();
  const addresses = reader.list(() => bs58.encode(reader.take(ADDRESS_BYTES)));
  const writable = addresses.map((_, place) =>
    place < requiredSigners
      ? place < requiredSigners - readOnlySigners
      : place < addresses.length - readOnlyOthers,
  );
  const blockhash = bs58.encode(reader.take(ADDRESS_BYTES));
  const instructions = reader.list(() => ({
    program: reader.byte(),
    accounts: reader.list(() => reader.byte()),
    data: reader.take(reader.length()),
  }));
  reader.end();
  return { requiredSigners, addresses, writable, blockhash, instructions };
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(count: number): Uint8Array {
    const taken = this.#bytes.slice(this.#at, this.#at + count);
    if (taken.length < count) throw new RangeError(`it ends after ${this.#bytes.length} bytes`);
    this.#at += count;
    return taken;
  }

  byte(): number {
    return this.take(1)[0] as number;
  }

  /** Reads a length: seven bits a byte, the lowest first, the eighth set if another byte follows. */
  length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      length |= (byte & 0x7f) << shift;
      const isLast = byte < 0x80;
      if (isLast && byte === 0 && shift > 0) throw notCanonical();
      if (isLast && length <= 0xffff) return length;
      if (isLast || shift === 14) throw new RangeError("it has a length of more than 65535");
    }
  }

  list<T>(read: () => T): T[] {
    return Array.from({ length: this.length() }, read);
  }

  end(): void {
    if (this.#at < this.#bytes.length) throw notCanonical();
  }
}

function notCanonical(): RangeError {
  return new RangeError("its bytes are not the canonical form of what they say");
}
