import { useEffect, useState } from "preact/hooks";
import { BASE } from "./data/base.ts";
import { pageFacts } from "./data/facts.ts";
import { focusMain } from "./data/focus.ts";
import { hrefs } from "./data/hrefs.ts";

/** The screens: by the address's path what is for anyone, by its hash an agent's rooms. */
export type Route =
  | { readonly screen: "start" | "unknown" }
  | { readonly screen: "tokens" | "launch" | "activity" | "settings" | "operator" }
  | { readonly screen: "token" | "shared"; readonly mint: string }
  | { readonly screen: "agent"; readonly wallet: string }
  | { readonly screen: "status"; readonly eventId: string };

const START = BASE.pathname;

/** @param path of one of the pages. @param hash for example `#/token/9xQe…` */
export function parseRoute(hash: string, path = START): Route {
  if (path !== START) {
    const [, kind, id] = PAGE.exec(path.slice(START.length)) ?? [];
    if (id === undefined) return { screen: "unknown" };
    return kind === "t" ? { screen: "shared", mint: id } : { screen: "agent", wallet: id };
  }
  // Others lead to a part of the start.
  const place = hash.startsWith("#/") ? hash.slice(2) : "";
  const [screen = "", id] = place.split("/");
  if (screen === "token" && id && ADDRESS.test(id)) return { screen, mint: id };
  if (screen === "launch" && id && /^[0-9a-f-]{36}$/.test(id)) {
    return { screen: "status", eventId: id };
  }
  if (screen === "operator") return { screen };
  // The key of a sandbox's wallet opens its tokens.
  if (place === "tokens" || screen === "sandbox") return { screen: "tokens" };
  if (place === "") return { screen: "start" };
  if (place === "launch" || place === "activity" || place === "settings") return { screen: place };
  return { screen: "unknown" };
}

const PAGE = /^([ta])\/([1-9A-HJ-NP-Za-km-z]{32,44})$/;
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export const isOwnRoom = ({ screen }: Route) =>
  !["start", "unknown", "shared", "agent"].includes(screen);

/**
 * @returns the secret key of a sandbox's wallet that the address hands over, which it then holds no more;
 * null if there is none
 */
export const takeSandboxKey = () =>
  takeSecret(/^#\/sandbox\/([1-9A-HJ-NP-Za-km-z]{64,90})$/, hrefs.tokens);

/** The same for the secret of a link to the operator's view. */
export const takeOperatorSecret = () => takeSecret(/^#\/operator\/([\w-]{43})$/, hrefs.operator);

function takeSecret(pattern: RegExp, href: string): string | null {
  const secret = pattern.exec(location.hash)?.[1] ?? null;
  if (secret !== null) {
    history.replaceState(null, "", href);
    // The router hears only of changes that are announced.
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
  return secret;
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    history.scrollRestoration = "manual";
    let shown = location.hash;
    let endScroll = scrollBack();
    const follow = () => {
      shown = location.hash;
      // A part of a screen is no other screen.
      if (/^#\w/.test(shown)) return;
      endScroll();
      setHash(shown);
      focusMain();
      endScroll = scrollBack();
    };
    // Once the address has changed, the place would become the next screen's: a click keeps it before.
    const keep = () => {
      if (location.hash === shown) history.replaceState({ top: scrollY }, "");
    };
    addEventListener("hashchange", follow);
    addEventListener("scrollend", keep);
    addEventListener("click", keep, true);
    return () => {
      removeEventListener("hashchange", follow);
      removeEventListener("scrollend", keep);
      removeEventListener("click", keep, true);
      endScroll();
    };
  }, []);
  return parseRoute(hash, location.pathname);
}

/** Milliseconds for which a screen may grow to the height at which it was left. */
const GROWS_MS = 3_000;

/** Scrolls to where the person was on this entry of the history, once the screen is long enough. */
function scrollBack(): () => void {
  const top = Number(Object(history.state).top ?? 0);
  const observer = new ResizeObserver(() => {
    scrollTo(0, top);
    if (scrollY >= top - 1) end();
  });
  const end = () => observer.disconnect();
  observer.observe(document.body);
  setTimeout(end, GROWS_MS);
  for (const touch of ["wheel", "touchmove", "keydown"])
    addEventListener(touch, end, { once: true });
  return end;
}

/** Names the screen in the browser's tab and history. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · ${pageFacts.brand.name}`;
  }, [title]);
}

export function goTo(href: string): void {
  location.href = href;
}
