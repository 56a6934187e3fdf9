import { postgresUrlSecrets } from "../base/postgres-url.ts";
import type { Config } from "./config.ts";

/** Shorter texts occur by chance in lines that have nothing to do with the secret. */
const MIN_LENGTH = 6;

export function secretTexts(config: Config): string[] {
  const { chain, databaseUrl, jwtSecret, jwtSecretPrevious, mintSecret } = config;
  const texts = [jwtSecret, jwtSecretPrevious].flatMap((text) => text ?? []);
  if (mintSecret !== null) texts.push(Buffer.from(mintSecret).toString("hex"));
  if (databaseUrl !== null) texts.push(...postgresUrlSecrets(databaseUrl));
  if (chain.chain === "solana") {
    texts.push(...chain.rpcUrls.flatMap(urlTexts));
    const { launchWallet } = chain;
    if (launchWallet?.kind === "http") texts.push(...urlTexts(launchWallet.url));
  }
  return texts.filter((text) => text.length >= MIN_LENGTH);
}

/** Providers put the key into the host, the path, the query or the user part of the URL. */
function urlTexts(text: string): string[] {
  const { host, pathname, search, username, password } = new URL(text);
  return [text, host, pathname, search, username, password];
}
