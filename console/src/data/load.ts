import { ConnectionError, ServiceUnavailableError, TimeoutError } from "@tokenctl/sdk";
import { type Inputs, useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Shared } from "./shared.ts";

/** Something that is read from the server. What was read before stays while it is read again. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
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

/**
 * Milliseconds after an outage until what it has kept from being read is read again: a read that fails
 * while the server is there does not repeat without a pause.
 */
const RETRY_MS = 1_000;

/** Reads something now, again when an input changes, and after an outage; what was asked before is aborted. */
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
  const error = useRef<unknown>(null);
  error.current = state.error;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = isDown.follow(() => {
      if (isDown.value || !isOutage(error.current)) return;
      setState((before) => ({ ...before, error: null, isLoading: true }));
      timer = setTimeout(reload, RETRY_MS);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, []);
  return { ...state, reload };
}

/** Calls something at intervals while the page is visible, and when it becomes visible. */
export function useEvery(ms: number, work: () => void, isOn = true): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    if (!isOn) return;
    const next = () => document.visibilityState === "visible" && latest.current();
    const timer = setInterval(next, ms);
    document.addEventListener("visibilitychange", next);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", next);
    };
  }, [ms, isOn]);
}

const EMPTY = { data: null, error: null, isLoading: true } as const;
