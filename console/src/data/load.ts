import { ConnectionError, ServiceUnavailableError, TimeoutError } from "@tokenctl/sdk";
import { type Inputs, useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Shared } from "./shared.ts";

/** Data from the server. Earlier data stays during another read. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Reads again. Resolves once that has succeeded or failed. */
  readonly reload: () => Promise<void>;
}

/** Whether the server is unreachable or unhealthy. One banner shows it for the whole page. */
export const isDown = new Shared(false);

/** The number of reads that failed because the server or its chain was down. */
export const loadFailures = new Shared(0);

/** Returns whether an error means that the server or its chain is down. */
export const isOutage = (error: unknown) =>
  error instanceof ConnectionError ||
  error instanceof TimeoutError ||
  error instanceof ServiceUnavailableError;

const countOutage = (error: unknown) => {
  // This triggers a read of the server's health, which sets the value again.
  if (error instanceof ConnectionError) isDown.set(true);
  if (isOutage(error)) loadFailures.set(loadFailures.value + 1);
};

/**
 * Milliseconds from an outage to the retry of the failed reads. Without the pause, a read that
 * fails while the server is up would repeat in a loop.
 */
const RETRY_MS = 1_000;

/** Reads now, when an input changes, and after an outage. A new read aborts the previous one. */
export function useLoad<T>(
  read: (signal: AbortSignal) => Promise<T>,
  inputs: Inputs,
  onError: (error: unknown) => void = countOutage,
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>(EMPTY);
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  const reloading = useRef(new Set<() => void>()).current;
  useEffect(() => {
    const abort = new AbortController();
    const waiting = [...reloading];
    const settle = (next: Partial<typeof state>) => {
      if (abort.signal.aborted) return;
      setState((before) => ({ ...before, error: null, ...next, isLoading: false }));
      if (next.error) onError(next.error);
      for (const done of waiting) if (reloading.delete(done)) done();
    };
    setState((before) => ({ ...before, isLoading: true }));
    latest.current(abort.signal).then(
      (data) => settle({ data }),
      (error) => settle({ error }),
    );
    return () => abort.abort();
  }, [...inputs, round]);
  const reload = useCallback(() => {
    setRound((count) => count + 1);
    return new Promise<void>((done) => reloading.add(done));
  }, []);
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

/** Calls `work` at intervals while the page is visible, and each time the page becomes visible. */
export function useEvery(ms: number, work: () => unknown, isOn = true): void {
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

/** Returns a text once it has been stable for a number of milliseconds. */
export function useQuiet(text: string, ms: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

const EMPTY = { data: null, error: null, isLoading: true } as const;
