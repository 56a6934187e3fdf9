import type { AgentEvent } from "@tokenctl/sdk";
import { useEffect, useRef } from "preact/hooks";
import { useEvery } from "./load.ts";
import { hasEnded, type Session, Shared, useShared } from "./shared.ts";

const news = new Shared(0);
/** Counts up with the agent's events, after a sign-in, and at intervals while the page is visible. */
export const useNews = () => useShared(news);

const count = () => news.set(news.value + 1);

const TICK_MS = 20_000;
/** Milliseconds until the next attempt after the server refuses the stream. */
const PAUSE_MS = 10_000;

/** Follows the agent's events while there is a session. @param onEvent receives each event */
export function useFollowing(session: Session | null, onEvent: (event: AgentEvent) => void): void {
  const ended = useShared(hasEnded);
  const last = useRef<Session | null>(null);
  useEffect(() => {
    if (session === null || ended) return;
    const abort = new AbortController();
    if (last.current === session) count();
    last.current = session;
    void follow(session, abort.signal, (event) => {
      count();
      onEvent(event);
    });
    return () => abort.abort();
  }, [session, ended]);
  useEvery(TICK_MS, count, session !== null && !ended);
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
      // Events only make news faster: the lists are read again anyway.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
