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
    // With gaps at those that have not settled.
    const answers: T[] = [];
    const errors: unknown[] = [];
    let [asked, missing, isLate, isOver] = [0, questions.length, false, false];
    let cancelNext = () => {};
    const cancelPatience = clock.after(patienceMs, () => {
      isLate = true;
      if (answers.length > 0) end();
    });
    const end = () => {
      isOver = true;
      cancelNext();
      cancelPatience();
      resolve({ answers: Object.values(answers), errors: Object.values(errors), missing });
    };
    const settle = (isLast: boolean) => {
      missing -= 1;
      if (!isOver && (isLast || missing === 0)) end();
    };
    const askNext = () => {
      cancelNext();
      const index = asked++;
      const question = questions[index];
      if (isOver || !question) return;
      if (nextMs > 0) cancelNext = clock.after(nextMs, askNext);
      question().then(
        (answer) => {
          answers[index] = answer;
          settle(isLate || isEnough(answer));
        },
        (error: unknown) => {
          errors[index] = error;
          settle(false);
          askNext();
        },
      );
      if (nextMs === 0) askNext();
    };
    askNext();
  });
}
