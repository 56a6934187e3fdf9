import type { AgentEvent } from "@tokenctl/sdk";
import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { isDown } from "./load.ts";
import { hasEnded, type Session } from "./session.ts";
import { useShared } from "./shared.ts";

/** Counters; a screen reads again when the one that it follows changes. */
interface News {
  /** Grows with the agent's events, after an outage and after a new sign-in. */
  readonly events: number;
  /** Grows also every {@link TICK_MS} while the page is visible: for what trades change. */
  readonly ticks: number;
}

export const NewsContext = createContext<News>({ events: 0, ticks: 0 });
export const useNews = () => useContext(NewsContext).events;
export const useTicks = () => useContext(NewsContext).ticks;

const TICK_MS = 20_000;
/** Milliseconds until the stream is tried again after it was refused. */
const PAUSE_MS = 10_000;

/**
 * Follows the agent's events while there is a session and the server is there.
 *
 * @param onEvent called with each
 */
export function useFollowing(session: Session | null, onEvent: (event: AgentEvent) => void): News {
  const [events, setEvents] = useState(0);
  const [ticks, setTicks] = useState(0);
  const ended = useShared(hasEnded);
  const down = useShared(isDown);
  const last = useRef<Session | null>(null);
  useEffect(() => {
    if (session === null || ended || down) return;
    const abort = new AbortController();
    const isBack = last.current === session;
    last.current = session;
    if (isBack) setEvents((count) => count + 1);
    void follow(session, abort.signal, (event) => {
      setEvents((count) => count + 1);
      onEvent(event);
    });
    const tick = () => document.visibilityState === "visible" && setTicks((count) => count + 1);
    const timer = setInterval(tick, TICK_MS);
    document.addEventListener("visibilitychange", tick);
    return () => {
      abort.abort();
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [session, ended, down]);
  return { events, ticks: events + ticks };
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
      // The lists are read again anyway; news are only sooner.
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
