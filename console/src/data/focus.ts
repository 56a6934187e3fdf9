import { useEffect } from "preact/hooks";

/** Takes the keyboard to the beginning of the screen. */
export const focusMain = () => document.getElementById("main")?.focus({ preventScroll: true });

/** If what has the focus goes away, as the last button of a row does, the keyboard goes on at the screen's beginning. */
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
