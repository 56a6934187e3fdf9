import { useEffect, useState } from "preact/hooks";

/** A value of the whole page. {@link useShared} draws a component again when it changes. */
export class Shared<T> {
  readonly #followers = new Set<() => void>();
  #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Tells the followers, unless it is the value already. */
  set(value: T): void {
    if (value === this.#value) return;
    this.#value = value;
    for (const follower of this.#followers) follower();
  }

  /** @returns a function that ends it */
  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
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
