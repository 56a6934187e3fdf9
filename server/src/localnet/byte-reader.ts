import { littleEndian } from "./bytes.ts";

/** Reads the fields of Solana's wire format one after the other. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #toError: (reason: string) => Error;
  #offset = 0;

  /** @param toError makes the error to throw on malformed bytes */
  constructor(bytes: Uint8Array, toError: (reason: string) => Error) {
    this.#bytes = bytes;
    this.#toError = toError;
  }

  get offset(): number {
    return this.#offset;
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#offset];
    if (value === undefined) throw this.#toError("unexpected end of bytes");
    this.#offset += 1;
    return value;
  }

  take(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw this.#toError("unexpected end of bytes");
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  /** An unsigned integer of this many bytes, the lowest first. */
  uint(length: number): bigint {
    return littleEndian(this.take(length));
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#offset);
  }

  /** A length of one to three bytes, then that many bytes. */
  bytes(): Uint8Array {
    return this.take(this.#compactU16());
  }

  /** A length of one to three bytes, then that many items. */
  list<Item>(item: () => Item): Item[] {
    const items: Item[] = [];
    for (let left = this.#compactU16(); left > 0; left--) items.push(item());
    return items;
  }

  /** A length of seven bits a byte, in its shortest form only (solana-short-vec `ShortU16`). */
  #compactU16(): number {
    let value = 0;
    for (let index = 0; index < 3; index++) {
      const byte = this.byte();
      if (byte === 0 && index > 0) throw this.#toError("a length is not in its shortest form");
      value |= (byte & 0x7f) << (index * 7);
      if ((byte & 0x80) === 0) {
        if (value > 0xffff) throw this.#toError("a length is above 65535");
        return value;
      }
    }
    throw this.#toError("a length is above 65535");
  }
}
