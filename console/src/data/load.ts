import { ConnectionError, ServiceUnavailableError, TimeoutError } from "@tokenctl/sdk";
import { type Inputs, useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Shared } from "./shared.ts";

/** Something that is read from the server. What was read before stays while it is read again. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Reads it again. */
  readonly reload: () => void;
}

/** Whether the server is away or has a problem; the page says so in one place. */
export const isDown = new Shared(false);

/** How many reads have failed because the server or its chain is away. */
export const loadFailures = new Shared(0);

/** @returns whether an error says that the server or its chain is away */
export const isOutage = (error: unknown) =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  error instanceof ServiceUnavailableError;

const countOutage = (error: unknown) => {
  // Until the server's health is read again, which this causes.
  if (error instanceof ConnectionError) isDown.set(true);
  if (isOutage(error)) loadFailures.set(loadFailures.value + 1);
};

/** Reads something now, and again when an input changes; what was asked before is aborted. */
export function useLoad<T>(
  read: (signal: AbortSignal) => Promise<T>,
  inputs: Inputs,
  onError: (error: unknown) => void = countOutage,
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>(EMPTY);
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const abort = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    latest.current(abort.signal).then(
      (data) => abort.signal.aborted || setState({ data, error: null, isLoading: false }),
      (error) => {
        if (abort.signal.aborted) return;
        setState(({ data }) => ({ data, error, isLoading: false }));
        onError(error);
      },
    );
    return () => abort.abort();
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, reload };
}

const EMPTY = { data: null, error: null, isLoading: true } as const;
