import { distance } from "fastest-levenshtein";

/** Returns the known name that a wrong one most likely means, if any. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z]/g, "");
  const wanted = plain(name);
  if (wanted.length < 2) return undefined;
  const steps = (one: string) => (one.startsWith(wanted) ? 0 : distance(one, wanted));
  const near = known.map((one) => ({ one, steps: steps(plain(one)) }));
  const [best] = near.sort((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.min(2, wanted.length / 2) ? best.one : undefined;
}
