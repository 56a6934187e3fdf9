/**
 * Whether this server is about to stop: it still serves, but says so, so that balancers avoid it.
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
