import { useEffect } from "preact/hooks";

/** Moves the keyboard focus to the start of the screen. */
export const focusMain = () => document.getElementById("main")?.focus({ preventScroll: true });

/** Moves the focus to the screen's start if the focused element, such as a button, disappears. */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    const note = () => {
      last = document.activeElement;
    };
    const observer = new MutationObserver(() => {
      if (last?.isConnected !== false) return;
      last = null;
      if (document.activeElement === document.body) focusMain();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", note);
    return () => {
      observer.disconnect();
      document.removeEventListener("focusin", note);
    };
  }, []);
}
