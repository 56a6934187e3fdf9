import { limits } from "@tokenctl/shared/limits";
import { address, flag, number, required, text, whole } from "./field.ts";

const UUID = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}";
const TICKER_OR_MINT = "[A-Za-z0-9]{2,10}|[1-9A-HJ-NP-Za-km-z]{32,44}";
const ANY_NAME = {
  pattern: `^(${TICKER_OR_MINT}|${UUID})$`,
  rule: "a ticker of 2 to 10 letters and digits, a mint address, or the event id of a launch",
};

export const TOKEN = text("the token's ticker, mint address or event id", {
  ...ANY_NAME,
  names: "token",
});
export const A_TOKEN = { tokenMint: required(TOKEN) };
const LAUNCH = text("the launch's ticker, event id or mint address", {
  ...ANY_NAME,
  names: "launch",
});
export const A_LAUNCH = { eventId: required(LAUNCH) };
/** A token that the wallet does not list yet. */
export const WAITING = text("the token's ticker or mint address", {
  pattern: `^(${TICKER_OR_MINT})$`,
  rule: "a ticker of 2 to 10 letters and digits, or a mint address",
  names: "waiting",
  flag: "<token>",
});
export const WALLET = address("an address; default: that of --keypair");

export const YES = flag("do not ask for confirmation");
export const INTERVAL = number("time between checks; default: 5", 0.1, 3600, {
  flag: "--interval <seconds>",
});
export const RPC_URL = text("Solana node that verifies payments");
export const AFTER = { flag: "--after <id>" };

/** One page of a list, so that a model does not read all of it. */
export const PAGE = {
  limit: whole("items of the page; default 20", limits.page.min, limits.page.max, { default: 20 }),
  cursor: text("nextCursor of the previous page"),
};

export const WAIT = {
  waitSeconds: whole("seconds to wait for its end; default 20", 0, 50, { default: 20 }),
};

/** Returns a check that the input has either a token or the flag for several, and not both. */
export function eitherTokenOr(several: "all" | "list", what: string) {
  return (given: { tokenMint?: string; all?: boolean; list?: boolean }) => {
    const isNamed = given.tokenMint !== undefined;
    if (given[several]) return isNamed && `give either a token or --${several}, not both`;
    return !isNamed && `missing argument 'token', or --${several} for ${what}`;
  };
}

export const ID = "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";

export const GLOBALS = {
  apiUrl: text("server; default: http://127.0.0.1:8787"),
  keypair: text("wallet; default: that of the Solana CLI", {
    flag: "-k, --keypair <file>",
    names: "file",
  }),
  json: flag("print results, errors and warnings as JSON"),
  quiet: flag("print no notices, warnings or spinners"),
};
