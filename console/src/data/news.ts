import type { AgentEvent } from "@tokenctl/sdk";
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Session } from "./session.ts";

/** How often something has happened to the agent's launches and claims; screens read again at a change. */
export const NewsContext = createContext(0);
export const useNews = () => useContext(NewsContext);

/** Milliseconds until the stream is tried again after it was refused. */
const PAUSE_MS = 10_000;

/**
 * Follows the agent's events for as long as there is a session.
 *
 * @param onEvent called with each
 * @returns how many there were
 */
export function useEvents(session: Session | null, onEvent: (event: AgentEvent) => void): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (session === null) return;
    const abort = new AbortController();
    void follow(session, abort.signal, (event) => {
      setCount((before) => before + 1);
      onEvent(event);
    });
    return () => abort.abort();
  }, [session]);
  return count;
}

async function follow(
  { client }: Session,
  signal: AbortSignal,
  onEvent: (event: AgentEvent) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of client.events({ after: "latest", signal })) onEvent(event);
    } catch {
      // The lists are read again anyway when a screen opens; news are only sooner.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
