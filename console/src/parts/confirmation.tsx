import { Shared, useShared } from "../data/shared.ts";
import { Button, Dialog } from "./ui.tsx";

interface Asked {
  readonly title: string;
  readonly text: string;
  /** What the button that goes on says. */
  readonly yes: string;
}

const shown = new Shared<(Asked & { readonly answer: (yes: boolean) => void }) | null>(null);

/** Asks before something that cannot be undone. */
export async function confirmed(asked: Asked): Promise<boolean> {
  const answered = Promise.withResolvers<boolean>();
  shown.set({ ...asked, answer: answered.resolve });
  const yes = await answered.promise;
  shown.set(null);
  return yes;
}

export const confirmCancel = (ticker: string) =>
  confirmed({
    title: `Cancel the launch of ${ticker}?`,
    text: "It is taken out of the queue, and its ticker is free for others at once.",
    yes: "Cancel the launch",
  });

/** The place where it asks. */
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
