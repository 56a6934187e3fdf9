import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Loaded } from "../data/load.ts";
import { Skeleton } from "./ui.tsx";

const Waiting = createContext<((part: object, isWaiting: boolean) => void) | null>(null);

/** Shows the parts of a screen once all of them are read, so that no part moves another. */
export function Together({ children }: { readonly children: ComponentChildren }) {
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
