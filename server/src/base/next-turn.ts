let last: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop that no other caller gets. Launches that a chain's answer sets
 * going together go on one by one with this, and requests are answered in between.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
