import { useEffect, useState } from "preact/hooks";
import { focusMain } from "./data/focus.ts";

/** The screens, by the address's hash, so that every screen has a link and the back button works. */
export type Route =
  | { readonly screen: "tokens" | "launch" | "activity" | "settings" | "operator" | "unknown" }
  | { readonly screen: "token" | "shared"; readonly mint: string }
  | { readonly screen: "status"; readonly eventId: string };

export const hrefs = {
  tokens: "/#/",
  launch: "/#/launch",
  activity: "/#/activity",
  settings: "/#/settings",
  operator: "/#/operator",
  token: (mint: string) => `/#/token/${mint}`,
  status: (eventId: string) => `/#/launch/${eventId}`,
  /** A token's page for anyone. */
  shared: (mint: string) => `/t/${mint}`,
} as const;

/** @param path `/` or that of a token's page for anyone. @param hash for example `#/token/9xQe…` */
export function parseRoute(hash: string, path = "/"): Route {
  if (path !== "/") {
    const mint = /^\/t\/([1-9A-HJ-NP-Za-km-z]{32,44})\/?$/.exec(path)?.[1];
    return mint === undefined ? { screen: "unknown" } : { screen: "shared", mint };
  }
  const place = hash.replace(/^#\/?/, "");
  const [screen = "", id] = place.split("/");
  if (screen === "token" && id && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(id)) {
    return { screen, mint: id };
  }
  if (screen === "launch" && id && /^[0-9a-f-]{36}$/.test(id)) {
    return { screen: "status", eventId: id };
  }
  if (screen === "operator") return { screen };
  if (place === "" || place === "main") return { screen: "tokens" };
  if (place === "launch" || place === "activity" || place === "settings") return { screen: place };
  return { screen: "unknown" };
}

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

/** Follows the address. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    // The link that skips to the content leads to no other screen.
    const follow = () => {
      if (location.hash === "#main") return;
      setHash(location.hash);
      scrollTo(0, 0);
      focusMain();
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parseRoute(hash, location.pathname);
}

export function goTo(href: string): void {
  location.href = href;
}
