import { ConnectionError, SignerError, TickerTakenError, TokenctlError } from "@tokenctl/sdk";
import type { ComponentChildren } from "preact";

/** What went wrong, in words, and what to do next. */
export function Problem({
  error,
  onRetry,
}: {
  error: unknown;
  onRetry?: (() => void) | undefined;
}) {
  const { text, hint } = inWords(error);
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{text}</strong>
      </p>
      {hint !== null && <p>{hint}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** @returns the sentence and the advice of an error */
export function inWords(error: unknown): { readonly text: string; readonly hint: string | null } {
  if (error instanceof ConnectionError) {
    return {
      text: "The server cannot be reached.",
      hint: "Check your connection; nothing is lost.",
    };
  }
  if (error instanceof SignerError && error.cause instanceof Error) {
    return { text: sentence(`The wallet did not sign: ${error.cause.message}`), hint: null };
  }
  if (error instanceof TickerTakenError && error.eventId !== null) {
    return { text: sentence(error.text), hint: "Your own launch has this ticker." };
  }
  if (error instanceof TokenctlError) {
    return { text: sentence(error.message), hint: error.hint ?? null };
  }
  return { text: error instanceof Error ? sentence(error.message) : String(error), hint: null };
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}
