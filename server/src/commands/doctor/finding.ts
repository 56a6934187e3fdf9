/** What a check found. */
export interface Finding {
  readonly verdict: "ok" | "warning" | "failure";
  /** What was checked, in a word or two. */
  readonly subject: string;
  /** What was found and, if it is not well, what to do. Contains no secret and no URL with a key. */
  readonly text: string;
}

export const ok = (subject: string, text: string): Finding => ({ verdict: "ok", subject, text });

export const warning = (subject: string, text: string): Finding => ({
  verdict: "warning",
  subject,
  text,
});

export const failure = (subject: string, text: string): Finding => ({
  verdict: "failure",
  subject,
  text,
});

/** Runs a check; what it throws becomes a failure. */
export async function attempt(
  subject: string,
  check: () => Finding | Promise<Finding>,
): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    return failure(subject, error instanceof Error ? error.message : String(error));
  }
}
