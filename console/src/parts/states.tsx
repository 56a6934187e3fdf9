import { ApiError, ConnectionError, SignerError, TokenctlError } from "@tokenctl/sdk";
import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Loaded } from "../data/load.ts";
import { SessionEnded } from "../data/shared.ts";
import { TimeLeft } from "./format.tsx";
import { Button, Skeleton } from "./ui.tsx";

/** Shows an error. Retries when the server allows it after a rate limit; otherwise on a click. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { text, hint } = inWords(error);
  const seconds =
    error instanceof ApiError && error.status === 429 ? error.retryAfterSeconds : null;
  const until = useMemo(() => seconds && new Date(Date.now() + seconds * 1_000), [error]);
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{text}</strong>
      </p>
      {hint !== null && <p>{hint}</p>}
      {onRetry && !until && <Button onClick={onRetry}>Try again</Button>}
      {onRetry && until && (
        <p>
          This page tries again in <TimeLeft until={until} onEnd={onRetry} />
        </p>
      )}
    </div>
  );
}

/** Shows data once it has been read, or its error, unless the banner shows that the session has ended. */
export function Ready<T>(props: {
  readonly of: Loaded<T>;
  /** What is being read, for screen readers. */
  readonly what: string;
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { of, what, lines = 3, children } = props;
  usePart(of);
  const isSaid = of.error === null || endsSession(of.error);
  return (
    <>
      {!isSaid && <Problem error={of.error} onRetry={of.reload} />}
      {of.data !== null && children(of.data)}
      {of.data === null && isSaid && <Skeleton what={what} lines={lines} />}
    </>
  );
}

const endsSession = (error: unknown) =>
  error instanceof SignerError && error.cause instanceof SessionEnded;

export function inWords(error: unknown): { readonly text: string; readonly hint: string | null } {
  if (error instanceof ConnectionError) {
    const hint = "Check your connection; nothing is lost.";
    return { text: "The server cannot be reached.", hint };
  }
  if (error instanceof SignerError && error.cause instanceof Error) {
    const { message } = error.cause;
    const isEnd = endsSession(error);
    return { text: sentence(isEnd ? message : `The wallet did not sign: ${message}`), hint: null };
  }
  if (error instanceof ApiError) {
    const { text, details, explanation, hint } = error;
    // The API's field names are for programs, so the text omits them.
    if (details.length === 0) return { text: sentence(text), hint: explanation ?? hint ?? null };
    return { text: details.map(({ message }) => capital(sentence(message))).join(" "), hint: null };
  }
  if (error instanceof TokenctlError) {
    return { text: sentence(error.message), hint: error.hint ?? null };
  }
  return { text: error instanceof Error ? sentence(error.message) : String(error), hint: null };
}

export const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

export const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);

const Waiting = createContext<((part: object, isWaiting: boolean) => void) | null>(null);

/** Shows the parts of a screen once all of them are read, so that no part moves another. */
export function Together({ children }: { children: ComponentChildren }) {
  const [isShown, setIsShown] = useState(false);
  const waiting = useRef(new Set<object>()).current;
  const note = useMemo(
    () => (part: object, isWaiting: boolean) => {
      if (isWaiting) waiting.add(part);
      else if (waiting.delete(part) && waiting.size === 0) setIsShown(true);
    },
    [],
  );
  // Runs after the effects of all parts that the first render contains.
  useLayoutEffect(() => {
    if (waiting.size === 0) setIsShown(true);
  }, []);
  return (
    <Waiting.Provider value={note}>
      {!isShown && (
        <>
          <h1 class="for-readers">One moment</h1>
          <Skeleton what="the page" lines={6} />
        </>
      )}
      <div class="together" hidden={!isShown}>
        {children}
      </div>
    </Waiting.Provider>
  );
}

/** Registers a part that delays its screen until it has been read or has failed. */
export function usePart({ data, error, isLoading }: Loaded<unknown>): void {
  const isWaiting = data === null && error === null && isLoading;
  const note = useContext(Waiting);
  const part = useRef({}).current;
  useLayoutEffect(() => note?.(part, isWaiting), [isWaiting]);
  useLayoutEffect(() => () => note?.(part, false), []);
}
