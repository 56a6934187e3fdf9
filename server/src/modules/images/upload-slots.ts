/** Uploads that are received or wait to be decoded at a time; each takes up to 2 MiB. */
const MAX_UPLOADS = 32;
/** Of those, uploads of one agent. */
const MAX_OF_WALLET = 4;

/** Bounds the memory that uploads take together. */
export class UploadSlots {
  readonly #ofWallet = new Map<string, number>();
  #taken = 0;

  /** @returns false if there is no slot left */
  take(wallet: string): boolean {
    const ofWallet = this.#ofWallet.get(wallet) ?? 0;
    if (this.#taken >= MAX_UPLOADS || ofWallet >= MAX_OF_WALLET) return false;
    this.#taken += 1;
    this.#ofWallet.set(wallet, ofWallet + 1);
    return true;
  }

  /** Gives back a slot that this wallet took. */
  free(wallet: string): void {
    this.#taken -= 1;
    const left = (this.#ofWallet.get(wallet) ?? 0) - 1;
    if (left > 0) this.#ofWallet.set(wallet, left);
    else this.#ofWallet.delete(wallet);
  }
}
