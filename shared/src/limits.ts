/** Limits of the wire contract. The server enforces them; a client may check them first. */
export const limits = {
  /** Characters (Unicode code points) of a token's name. */
  name: { min: 1, max: 255 },
  /** Characters of a ticker; the pattern is the whole rule. */
  ticker: { min: 2, max: 10, pattern: "^[A-Z0-9]+$" },
  /** Characters (Unicode code points) of a description. */
  description: { max: 1000 },
  /** Characters of an image URL, and the schemes it may have. The server never fetches it. */
  imageUrl: { max: 255, schemes: ["http:", "https:", "ipfs:", "ar:"] },
  /**
   * An uploaded image: maximum bytes, maximum pixels per side, the longer side to which the service
   * scales it down, and the shorter sides of the smaller versions that it stores.
   */
  image: { bytes: 2 * 1024 * 1024, side: 4096, storedSide: 1024, sizes: [96, 256] },
  /** Characters of a link, and its allowed hosts; a website may have any host. */
  link: {
    max: 255,
    twitterHosts: ["x.com", "twitter.com"],
    telegramHosts: ["t.me", "telegram.me"],
  },
  /** Characters of a base58 address: 32 bytes never need more. */
  wallet: { max: 44 },
  /** Maximum tokens in the list of those handed over to a wallet that it has not accepted. */
  waitingTokens: { max: 100 },
  /** Characters of a base58 Ed25519 signature: 64 bytes never need more. */
  signature: { max: 88 },
  /** Characters of a nonce, and maximum characters of the host in it. */
  nonce: { min: 22, max: 200, host: 127 },
  /** Maximum bytes of a Solana transaction, and the length of that many bytes in base64. */
  transaction: { bytes: 1232, base64: 1644 },
  transactionOfVersion1: { bytes: 4096, base64: 5464 },
  /** Tokens that one claim can name; a transaction has room for fewer. */
  claimedTokens: { max: 20 },
  /** Wallets that one claim can pay. */
  claimReceivers: { max: 5 },
  /** Characters of an invite's code; spaces and hyphens count. */
  inviteCode: { min: 1, max: 64 },
  /** Bytes of a request body. The server answers a larger one with 413. */
  bodyBytes: 64 * 1024,
  /** Tokens whose markets one request can read. */
  markets: { tokens: 50 },
  /** Items of one page of a list. */
  page: { min: 1, max: 1000 },
  /** Characters of a webhook's URL, and maximum waiting tests of one webhook. */
  webhook: { url: 1024, waiting: 20 },
  /** Events in one answer: minimum, maximum and default. */
  events: { min: 1, max: 1000, byDefault: 100 },
  /** Seconds that a request may wait for an event, or for the end of a launch. */
  eventWait: { min: 0, max: 55 },
  /** The maximum fee threshold, in claimable SOL; it must be more than 0. */
  feeThresholdSOL: { max: 1_000_000 },
  /** Maximum SOL of a launch's first buy; it must be more than 0. */
  firstBuySOL: { max: 100_000 },
  /** Maximum SOL of one airdrop or trade on a sandbox; it must be more than 0. */
  devSOL: { max: 100_000 },
} as const;

/** Lifetime of a nonce after its challenge, milliseconds. */
export const NONCE_LIFETIME_MS = 5 * 60_000;

/** Lifetime of a bearer token after sign-in, seconds. */
export const TOKEN_LIFETIME_SECONDS = 15 * 60;

/** Maximum silence of an event stream, milliseconds; idle timeouts of proxies are longer. */
export const STREAM_HEARTBEAT_MS = 15_000;

export const LAMPORTS_PER_SOL = 1_000_000_000n;

export const TOKEN_DECIMALS = 6;
