import { expect, test } from "bun:test";
import { readConfig } from "./config.ts";
import { misspelt } from "./read-settings.ts";
import { SETTINGS } from "./settings.ts";

test("a misspelt setting is named with the one that was meant, without its value", () => {
  expect(
    misspelt({
      MAX_QUEU: "hush-1",
      DATADIR: "hush-2",
      RATE_LIMIT_AUTH_PER_MINUTES: "hush-3",
      jwt_secret: "hush-4",
      METRIC_PORT: "hush-5",
      DBC_CONFG: "hush-6",
      DATABASE_URI: "hush-7",
      MINT_SECRETS: "hush-8",
      DRAIN_SECOND: "hush-9",
      RPC_ULR: "hush-10",
      PROT: "hush-11",
    }),
  ).toEqual([
    "MAX_QUEU is not a setting: did you mean MAX_QUEUE?",
    "DATADIR is not a setting: did you mean DATA_DIR?",
    "RATE_LIMIT_AUTH_PER_MINUTES is not a setting: did you mean RATE_LIMIT_AUTH_PER_MINUTE?",
    "jwt_secret is not a setting: did you mean JWT_SECRET?",
    "METRIC_PORT is not a setting: did you mean METRICS_PORT?",
    "DBC_CONFG is not a setting: did you mean DBC_CONFIG?",
    "DATABASE_URI is not a setting: did you mean DATABASE_URL?",
    "MINT_SECRETS is not a setting: did you mean MINT_SECRET?",
    "DRAIN_SECOND is not a setting: did you mean DRAIN_SECONDS?",
    "RPC_ULR is not a setting: did you mean RPC_URL?",
    "PROT is not a setting: did you mean PORT?",
  ]);
});

test("neither other variables nor correct settings are mentioned", () => {
  const others = "PATH HOME SHELL USER TERM LANG PWD API_URL HOSTNAME HOSTTYPE LOGNAME MAIL EDITOR";
  const more = "PUBLIC_IP PUBLIC_KEY NODE_ENV REDIS_PORT TOKEND_CRASH_AT TOKENCTL_API_URL NO_COLOR";
  const names = [...others.split(" "), ...more.split(" "), ...Object.keys(SETTINGS)];
  expect(misspelt(Object.fromEntries(names.map((name) => [name, "1"])))).toEqual([]);
  expect(misspelt({ MAX_QUEU: "" })).toEqual([]);
});

test("the message about a missing setting names the misspelt one", () => {
  expect(() =>
    readConfig({
      CHAIN: "solana",
      RPC_UR: "https://hush.example",
      API_URL: "https://hush.example",
    }),
  ).toThrow("RPC_URL is not set, and is needed (RPC_UR is: is that a misspelling?)");
});
