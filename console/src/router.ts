import { useEffect, useState } from "preact/hooks";
import { BASE, pageFacts } from "./data/page.ts";

/** The screens. The path selects public pages, the hash an agent's rooms. */
export type Route =
  | { readonly screen: "start" | "unknown" }
  | { readonly screen: "tokens" | "launch" | "activity" | "settings" }
  | { readonly screen: "token" | "shared"; readonly mint: string }
  | { readonly screen: "agent"; readonly wallet: string }
  | { readonly screen: "status"; readonly eventId: string };

const START = BASE.pathname;

/** @param path the path of a page. @param hash for example `#/token/9xQe…` */
export function parseRoute(hash: string, path = START): Route {
  if (path !== START) {
    const [, kind, id] = PAGE.exec(path.slice(START.length)) ?? [];
    if (id === undefined) return { screen: "unknown" };
    return kind === "t" ? { screen: "shared", mint: id } : { screen: "agent", wallet: id };
  }
  // Other hashes lead to a part of the start page.
  const place = hash.startsWith("#/") ? hash.slice(2) : "";
  const [screen = "", id] = place.split("/");
  if (screen === "token" && id && ADDRESS.test(id)) return { screen, mint: id };
  if (screen === "launch" && id && /^[0-9a-f-]{36}$/.test(id)) {
    return { screen: "status", eventId: id };
  }
  if (place === "") return { screen: "start" };
  if (place === "tokens" || place === "launch" || place === "activity" || place === "settings") {
    return { screen: place };
  }
  return { screen: "unknown" };
}

const PAGE = /^([ta])\/([1-9A-HJ-NP-Za-km-z]{32,44})$/;
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

export const isOwnRoom = ({ screen }: Route) =>
  !["start", "unknown", "shared", "agent"].includes(screen);

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    history.scrollRestoration = "manual";
    let shown = location.hash;
    let endScroll = scrollBack();
    const follow = () => {
      shown = location.hash;
      // A hash without a slash only names a part of the screen.
      if (/^#\w/.test(shown)) return;
      endScroll();
      setHash(shown);
      document.getElementById("main")?.focus({ preventScroll: true });
      endScroll = scrollBack();
    };
    // After a navigation the position would count for the next screen, so a click stores it before.
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

/** Milliseconds that a screen gets to grow to its former height. */
const GROWS_MS = 3_000;

/** Scrolls to the stored position of this history entry, once the screen is long enough. */
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

export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · ${pageFacts.brand.name}`;
  }, [title]);
}

export function goTo(href: string): void {
  location.href = href;
}
