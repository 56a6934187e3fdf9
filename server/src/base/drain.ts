/**
 * Whether this server is about to stop. Until then it serves as usual, but says so, so that a load
 * balancer sends it nothing more.
 */
export class Drain {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  begin(): void {
    this.#isDraining = true;
  }
}
