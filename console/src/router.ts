import { useEffect, useState } from "preact/hooks";

/** The screens, by the address's hash, so that every screen has a link and the back button works. */
export type Route =
  | { readonly screen: "tokens" | "launch" | "activity" | "settings" | "unknown" }
  | { readonly screen: "token"; readonly mint: string }
  | { readonly screen: "status"; readonly eventId: string };

export const hrefs = {
  tokens: "#/",
  launch: "#/launch",
  activity: "#/activity",
  settings: "#/settings",
  token: (mint: string) => `#/token/${mint}`,
  status: (eventId: string) => `#/launch/${eventId}`,
} as const;

/** @param hash for example `#/token/9xQe…` */
export function parseRoute(hash: string): Route {
  const path = hash.replace(/^#\/?/, "");
  const [screen = "", id] = path.split("/");
  if (screen === "token" && id && /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(id)) {
    return { screen, mint: id };
  }
  if (screen === "launch" && id && /^[0-9a-f-]{36}$/.test(id)) {
    return { screen: "status", eventId: id };
  }
  if (path === "" || path === "main") return { screen: "tokens" };
  if (path === "launch" || path === "activity" || path === "settings") return { screen: path };
  return { screen: "unknown" };
}

/**
 * @returns the secret key of a sandbox's wallet that the address hands over, which it then holds no more;
 * null if there is none
 */
export function takeSandboxKey(): string | null {
  const key = /^#\/sandbox\/([1-9A-HJ-NP-Za-km-z]{64,90})$/.exec(location.hash)?.[1] ?? null;
  if (key !== null) {
    history.replaceState(null, "", hrefs.tokens);
    // The router hears only of changes that are announced.
    dispatchEvent(new HashChangeEvent("hashchange"));
  }
  return key;
}

/** Follows the address. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    // The link that skips to the content leads to no other screen.
    const follow = () => location.hash !== "#main" && setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parseRoute(hash);
}

export function goTo(href: string): void {
  location.hash = href;
}
