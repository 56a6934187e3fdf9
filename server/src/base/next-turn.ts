let last: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop that no other caller gets. When one answer of the chain wakes
 * many launches, they continue one by one, and requests are answered in between.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
