import type { AgentEvent } from "@tokenctl/sdk";
import { useEffect, useState } from "preact/hooks";

/** Milliseconds for which a notice stays. */
const SHOWN_MS = 8_000;

let show: ((text: string) => void) | null = null;

const TEXTS: Partial<Record<AgentEvent["type"], (ticker: string) => string>> = {
  "launch.succeeded": (ticker) => `${ticker} is on chain`,
  "launch.failed": (ticker) => `The launch of ${ticker} failed`,
  "launch.rate_limited": (ticker) => `${ticker} was not launched: one token a day`,
  "claim.confirmed": (ticker) => `The fees of ${ticker} were paid`,
};

/** Tells the person what has happened to a launch or a claim. */
export function notify({ type, data }: AgentEvent): void {
  const text = TEXTS[type]?.(data.ticker ?? "a token");
  if (text !== undefined) show?.(text);
}

/** The place where notices appear; screen readers say each. */
export function Notices() {
  const [texts, setTexts] = useState<readonly string[]>([]);
  useEffect(() => {
    show = (text) => {
      setTexts((before) => [...before, text]);
      setTimeout(() => setTexts(([_, ...rest]) => rest), SHOWN_MS);
    };
    return () => {
      show = null;
    };
  }, []);
  return (
    <div class="notices" role="status" aria-live="polite">
      {texts.map((text, index) => (
        <p key={`${index} ${text}`}>{text}</p>
      ))}
    </div>
  );
}
