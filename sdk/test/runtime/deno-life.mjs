// Runs on Deno with an API's URL and a ticker.
import { live } from "./web-life.mjs";

const [apiUrl, ticker] = globalThis.Deno.args;
console.log(JSON.stringify(await live(apiUrl, ticker)));
