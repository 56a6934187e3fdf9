import { type Inputs, useCallback, useEffect, useRef, useState } from "preact/hooks";

/** Something that is read from the server. What was read before stays while it is read again. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Reads it again. */
  readonly reload: () => void;
}

/** Reads something now, and again when an input changes; what was asked before is aborted. */
export function useLoad<T>(read: (signal: AbortSignal) => Promise<T>, inputs: Inputs): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>(EMPTY);
  const [round, setRound] = useState(0);
  const latest = useRef(read);
  latest.current = read;
  useEffect(() => {
    const abort = new AbortController();
    setState(({ data }) => ({ data, error: null, isLoading: true }));
    latest.current(abort.signal).then(
      (data) => abort.signal.aborted || setState({ data, error: null, isLoading: false }),
      (error) =>
        abort.signal.aborted || setState(({ data }) => ({ data, error, isLoading: false })),
    );
    return () => abort.abort();
  }, [...inputs, round]);
  const reload = useCallback(() => setRound((count) => count + 1), []);
  return { ...state, reload };
}

const EMPTY = { data: null, error: null, isLoading: true } as const;
