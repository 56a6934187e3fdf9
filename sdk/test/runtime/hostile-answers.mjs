// Asks a hostile server at API_URL for each kind of answer, on whichever runtime runs this file.
// Prints by which code each was refused, as one line of JSON.
import { TokenctlClient, TokenctlError } from "@tokenctl/sdk";

/** @type {Record<string, string>} */
const codes = {};
for (const kind of (process.env.KINDS ?? "").split(",")) {
  const client = new TokenctlClient({ apiUrl: `${process.env.API_URL}/${kind}` });
  codes[kind] = await client.health().then(
    () => "accepted",
    (error) => (error instanceof TokenctlError ? error.code : String(error)),
  );
}
console.log(JSON.stringify(codes));
