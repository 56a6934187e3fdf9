/** Reads fields from bytes, one after the other, in Solana's wire format. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #fault: (reason: string) => Error;
  #offset = 0;

  /** @param fault makes what is thrown when the bytes are not as they should be */
  constructor(bytes: Uint8Array, fault: (reason: string) => Error) {
    this.#bytes = bytes;
    this.#fault = fault;
  }

  get offset(): number {
    return this.#offset;
  }

  get atEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#offset];
    if (value === undefined) throw this.#fault("ends too early");
    this.#offset += 1;
    return value;
  }

  take(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) throw this.#fault("ends too early");
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#offset);
  }

  /** A length in one to three bytes of seven bits each, then so many bytes. */
  bytes(): Uint8Array {
    return this.take(this.#compactU16());
  }

  /** A length as in {@link bytes}, then so many items. */
  list<Item>(item: () => Item): Item[] {
    const items: Item[] = [];
    for (let left = this.#compactU16(); left > 0; left--) items.push(item());
    return items;
  }

  /** Solana's `ShortU16`, which refuses any but the shortest form. */
  #compactU16(): number {
    let value = 0;
    for (let index = 0; index < 3; index++) {
      const byte = this.byte();
      if (byte === 0 && index > 0) throw this.#fault("length in a longer form than needed");
      value |= (byte & 0x7f) << (index * 7);
      if ((byte & 0x80) === 0) {
        if (value > 0xffff) throw this.#fault("length above 65535");
        return value;
      }
    }
    throw this.#fault("length above 65535");
  }
}
