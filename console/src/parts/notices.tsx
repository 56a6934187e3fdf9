import { Shared, useShared } from "../data/shared.ts";

/** Milliseconds that a notice stays visible. */
const SHOWN_MS = 8_000;

const notices = new Shared<readonly { readonly text: string }[]>([]);

/** Shows a text at the page's edge for a few seconds, unless it is already visible. */
export function notice(text: string): void {
  if (notices.value.some((each) => each.text === text)) return;
  const added = { text };
  notices.set([...notices.value, added]);
  setTimeout(() => notices.set(notices.value.filter((each) => each !== added)), SHOWN_MS);
}

/** The place where notices appear. Screen readers read each one. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {useShared(notices).map(({ text }, index) => (
        <p key={`${index} ${text}`}>{text}</p>
      ))}
    </div>
  );
}
