import type { AgentEvent } from "@tokenctl/sdk";
import { Asking, useShared } from "../data/shared.ts";
import { Button, Dialog } from "./ui.tsx";

interface Asked {
  readonly title: string;
  readonly text: string;
  /** The label of the button that confirms. */
  readonly yes: string;
}

const shown = new Asking<Asked>();

/** Asks the person to confirm something irreversible. */
export const confirmed = (asked: Asked): Promise<boolean> => shown.ask(asked);

/** Asks whether to cancel a launch. If so, the page does not announce its end as a failure. */
export async function confirmCancel(ticker: string, eventId: string): Promise<boolean> {
  const yes = await confirmed({
    title: `Cancel the launch of ${ticker}?`,
    text: "It is taken out of the queue, and its ticker is free for others at once.",
    yes: "Cancel the launch",
  });
  if (yes) cancelled.add(eventId);
  return yes;
}

const cancelled = new Set<string>();

/** Returns whether an event only reports what the person has just done on this page. */
export const isOwnCancel = ({ type, data }: AgentEvent) =>
  type === "launch.failed" && cancelled.has(data.eventId);

export function Confirmation() {
  const asked = useShared(shown);
  if (asked === null) return null;
  const { title, text, yes, answer } = asked;
  return (
    <Dialog titleId="confirmation-title" onCancel={() => answer(false)}>
      <h2 id="confirmation-title">{title}</h2>
      <p>{text}</p>
      <div class="line end">
        <Button autofocus onClick={() => answer(false)}>
          Not now
        </Button>
        <Button kind="danger" onClick={() => answer(true)}>
          {yes}
        </Button>
      </div>
    </Dialog>
  );
}
