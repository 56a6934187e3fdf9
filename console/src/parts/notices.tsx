import { Shared, useShared } from "../data/shared.ts";

/** Milliseconds for which a notice stays. */
const SHOWN_MS = 8_000;

const notices = new Shared<readonly { readonly text: string }[]>([]);

/** Says something at the page's edge for a few seconds. What it says already it does not say twice. */
export function notice(text: string): void {
  if (notices.value.some((each) => each.text === text)) return;
  const added = { text };
  notices.set([...notices.value, added]);
  setTimeout(() => notices.set(notices.value.filter((each) => each !== added)), SHOWN_MS);
}

/** The place where notices appear; screen readers say each. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {useShared(notices).map(({ text }, index) => (
        <p key={`${index} ${text}`}>{text}</p>
      ))}
    </div>
  );
}
