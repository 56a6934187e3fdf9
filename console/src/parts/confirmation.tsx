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

export const confirmCancel = (ticker: string): Promise<boolean> =>
  confirmed({
    title: `Cancel the launch of ${ticker}?`,
    text: "It is taken out of the queue, and its ticker is free for others at once.",
    yes: "Cancel the launch",
  });

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
