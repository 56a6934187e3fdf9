import type { PageFacts } from "@tokenctl/shared/page-facts";

/** The service's URL with a trailing slash: the parent of the scripts' folder, behind any proxy. */
export const BASE = new URL("..", import.meta.url);

/** The service's URL without the slash, for the client, which adds paths. */
export const API_URL = BASE.href.replace(/\/$/, "");

const { pathname: START } = BASE;

export const hrefs = {
  start: START,
  tokens: `${START}#/tokens`,
  launch: `${START}#/launch`,
  activity: `${START}#/activity`,
  settings: `${START}#/settings`,
  token: (mint: string) => `${START}#/token/${mint}`,
  status: (eventId: string) => `${START}#/launch/${eventId}`,
  shared: (mint: string) => `${START}t/${mint}`,
  agent: (wallet: string) => `${START}a/${wallet}`,
} as const;

export const pageFacts: PageFacts = JSON.parse(
  globalThis.document?.getElementById("facts")?.textContent ??
    '{"brand":{"name":"tokend","pages":[]}}',
);
