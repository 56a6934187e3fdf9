import { type Inputs, useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Shared, useShared } from "./shared.ts";

/** Data from the server. Earlier data stays during another read. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Reads again. Resolves once that has succeeded or failed. */
  readonly reload: () => Promise<void>;
}

/** Counts how often the server's health has become good again. */
export const recoveries = new Shared(0);

/** Reads now, when an input changes, and, if it has failed, when the server has recovered. */
export function useLoad<T>(read: (signal: AbortSignal) => Promise<T>, inputs: Inputs): Loaded<T> {
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
  const recovered = useShared(recoveries);
  useEffect(() => {
    if (state.error !== null) void reload();
  }, [recovered]);
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
