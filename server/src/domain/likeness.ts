import confusables from "unhomoglyph/data.json";

/** Well-known coins that a fake could imitate, as tickers and as names. */
const KNOWN = [
  "SOL",
  "Solana",
  "WSOL",
  "USDC",
  "USD Coin",
  "USDT",
  "Tether",
  "BTC",
  "Bitcoin",
  "ETH",
  "Ethereum",
];
const CLAIMS = ["official", "verified"];

/** Of one character each. The package's own expression of all of them takes 50 ms to compile. */
const lookalikes: Readonly<Record<string, string>> = confusables;
const fold = (text: string) => [...text].map((char) => lookalikes[char] ?? char).join("");

/**
 * Returns the same text for texts that look alike: applies Unicode's confusables (UTS 39), and
 * removes case, accents and everything but letters and digits. For example, `l` equals `I`.
 */
export function likenessOf(text: string): string {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "");
  // Runs twice: a capital may be confusable while its small letter is not.
  const folded = fold(fold(plain).toUpperCase()).toLowerCase();
  return folded.replace(/[^\p{L}\p{N}]/gu, "");
}

const known = new Map(KNOWN.map((coin) => [likenessOf(coin), coin]));
const claims = CLAIMS.map((word) => [likenessOf(word), word] as const);

/** @param earlier an older token with a similar name @returns a sentence for each likeness */
export function likenessWarnings(
  { name, ticker }: Readonly<Record<"name" | "ticker", string>>,
  earlier: string | null,
): string[] {
  const coins = [
    ["ticker", likenessOf(ticker)],
    ["name", likenessOf(name)],
  ].flatMap(([what = "", likeness = ""]) => {
    const coin = known.get(likeness);
    return coin === undefined ? [] : [`Its ${what} looks like ${coin}, which it is not`];
  });
  const said = claims
    .filter(([likeness]) => likenessOf(name).includes(likeness))
    .map(([, word]) => `Its name says “${word}”: anyone can write that`);
  const older =
    earlier === null
      ? []
      : [`Its name looks like that of an older token of this service, ${earlier}`];
  return [...coins, ...said, ...older];
}
