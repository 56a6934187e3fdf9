// Runs a bundle in a realm that has what a browser has and nothing of Node, and prints what its
// `live` returns as one line of JSON.
import { readFile } from "node:fs/promises";
import { createContext, Script } from "node:vm";

const names = [
  "AbortController",
  "AbortSignal",
  "Headers",
  "Request",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "URLSearchParams",
  "atob",
  "btoa",
  "clearTimeout",
  "crypto",
  "fetch",
  "performance",
  "setTimeout",
];
const realm = createContext(Object.fromEntries(names.map((name) => [name, globalThis[name]])));
new Script(await readFile(process.argv[2], "utf8")).runInContext(realm);
console.log(JSON.stringify(await realm.bundle.live(process.env.API_URL, process.env.TICKER)));
