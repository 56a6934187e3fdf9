/**
 * Asks one after another: the next as soon as one fails, or after so many milliseconds without an
 * answer. The first answer counts.
 *
 * @param questions at least one
 * @returns the first answer
 * @throws {AggregateError} all failed; its errors are in the order of the questions
 */
export function askInTurn<T>(
  questions: readonly (() => Promise<T>)[],
  afterMs: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = [];
    let failed = 0;
    let next = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const askNext = () => {
      clearTimeout(timer);
      const index = next++;
      const question = questions[index];
      if (!question) return;
      if (next < questions.length) timer = setTimeout(askNext, afterMs);
      question().then(
        (answer) => {
          clearTimeout(timer);
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
