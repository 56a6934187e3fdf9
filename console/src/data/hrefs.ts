import { BASE } from "./base.ts";

const START = BASE.pathname;

export const hrefs = {
  start: START,
  tokens: `${START}#/tokens`,
  launch: `${START}#/launch`,
  activity: `${START}#/activity`,
  settings: `${START}#/settings`,
  operator: `${START}#/operator`,
  token: (mint: string) => `${START}#/token/${mint}`,
  status: (eventId: string) => `${START}#/launch/${eventId}`,
  shared: (mint: string) => `${START}t/${mint}`,
  agent: (wallet: string) => `${START}a/${wallet}`,
} as const;
