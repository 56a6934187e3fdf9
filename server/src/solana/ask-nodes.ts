import type { Clock } from "../base/clock.ts";

interface Asking<T> {
  readonly clock: Pick<Clock, "after">;
  /** Asks the next node after this time, or as soon as one fails. 0 asks all nodes at once. */
  readonly nextMs: number;
  /** After this time, any answer ends the wait. */
  readonly patienceMs: number;
  /** Whether this answer alone ends the wait. */
  readonly isEnough: (answer: T) => boolean;
}

interface Asked<T> {
  /** The answers, and likewise the errors, are in the order of the questions. */
  readonly answers: readonly T[];
  readonly errors: readonly unknown[];
  /** How many questions had neither an answer nor an error when the wait ended. */
  readonly missing: number;
}

/** Waits for an answer that is enough, for all to settle, or after `patienceMs` for any answer. */
export function askNodes<T>(
  questions: readonly (() => Promise<T>)[],
  { clock, nextMs, patienceMs, isEnough }: Asking<T>,
): Promise<Asked<T>> {
  return new Promise((resolve) => {
    const answers = new Map<number, T>();
    const errors = new Map<number, unknown>();
    let [asked, isLate, isOver] = [0, false, false];
    let cancelNext = () => {};
    const cancelPatience = clock.after(patienceMs, () => {
      isLate = true;
      if (answers.size > 0) end();
    });
    const end = () => {
      isOver = true;
      cancelNext();
      cancelPatience();
      const missing = questions.length - answers.size - errors.size;
      resolve({ answers: inOrder(answers), errors: inOrder(errors), missing });
    };
    const settle = (isLast: boolean) => {
      if (!isOver && (isLast || answers.size + errors.size === questions.length)) end();
    };
    const askNext = () => {
      cancelNext();
      const index = asked++;
      const question = questions[index];
      if (isOver || !question) return;
      if (nextMs > 0) cancelNext = clock.after(nextMs, askNext);
      question().then(
        (answer) => {
          answers.set(index, answer);
          settle(isLate || isEnough(answer));
        },
        (error: unknown) => {
          errors.set(index, error);
          settle(false);
          askNext();
        },
      );
      if (nextMs === 0) askNext();
    };
    askNext();
  });
}

function inOrder<T>(found: ReadonlyMap<number, T>): T[] {
  return [...found].sort(([one], [other]) => one - other).map(([, value]) => value);
}
