import type { Clock } from "../base/clock.ts";

interface Patience {
  readonly clock: Pick<Clock, "after">;
  readonly milliseconds: number;
}

interface AllAnswers<T> {
  readonly answers: readonly T[];
  readonly errors: readonly unknown[];
  /** How many had neither answered nor failed when the wait ended. */
  readonly missing: number;
  /** Whether the first answer came only after the patience. */
  readonly isLate: boolean;
}

/**
 * Asks all at once and waits for every one, or for an answer that needs no other (`isEnough`), or
 * until its patience ends, if there is any answer by then.
 */
export function askAll<T>(
  questions: readonly Promise<T>[],
  isEnough: (answer: T) => boolean,
  { clock, milliseconds }: Patience,
): Promise<AllAnswers<T>> {
  return new Promise((resolve) => {
    const answers: (T | undefined)[] = questions.map(() => undefined);
    const errors: unknown[] = [];
    let answered = 0;
    let isLate = false;
    const end = () => {
      cancel();
      resolve({
        answers: answers.filter((answer) => answer !== undefined),
        errors,
        missing: questions.length - answered - errors.length,
        isLate,
      });
    };
    const cancel = clock.after(milliseconds, () => {
      if (answered > 0) end();
      else isLate = true;
    });
    questions.forEach((question, index) => {
      question.then(
        (answer) => {
          answers[index] = answer;
          answered += 1;
          if (isLate || isEnough(answer) || answered + errors.length === questions.length) end();
        },
        (error: unknown) => {
          errors.push(error);
          if (answered + errors.length === questions.length) end();
        },
      );
    });
  });
}

/**
 * Asks one after another: the next as soon as one fails, or after this time. The first answer
 * counts. @throws {AggregateError} if all failed, with their errors in the order of the questions
 */
export function askInTurn<T>(
  questions: readonly (() => Promise<T>)[],
  { clock, milliseconds }: Patience,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = [];
    let failed = 0;
    let next = 0;
    let cancel = () => {};
    const askNext = () => {
      cancel();
      const index = next++;
      const question = questions[index];
      if (!question) return;
      if (next < questions.length) cancel = clock.after(milliseconds, askNext);
      question().then(
        (answer) => {
          cancel();
          next = questions.length;
          resolve(answer);
        },
        (error: unknown) => {
          errors[index] = error;
          failed += 1;
          if (failed === questions.length) reject(new AggregateError(errors));
          else askNext();
        },
      );
    };
    askNext();
  });
}
