import { useEffect, useState } from "preact/hooks";

/** A value of the whole page. {@link useShared} renders a component again when it changes. */
export class Shared<T> {
  readonly #followers = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Sets the value, and tells the followers if it has changed. */
  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const follower of this.#followers) follower();
  }

  /** Returns a function that stops following. */
  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }
}

/** Asks the person one question at a time; the value is null while there is no question. */
export class Asking<T> extends Shared<(T & { readonly answer: (yes: boolean) => void }) | null> {
  constructor() {
    super(null);
  }

  async ask(asked: T): Promise<boolean> {
    const answered = Promise.withResolvers<boolean>();
    this.set({ ...asked, answer: answered.resolve });
    const yes = await answered.promise;
    this.set(null);
    return yes;
  }
}

export function useShared<T>(shared: Shared<T>): T {
  const [value, setValue] = useState(() => shared.value);
  useEffect(() => {
    const read = () => setValue(() => shared.value);
    read();
    return shared.follow(read);
  }, [shared]);
  return value;
}
