/** Limits of the wire contract, which the server enforces and a client may check before it sends. */
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
   * An uploaded image: maximum bytes, maximum pixels per side, the size to which a longer side is scaled, and
   * the shorter sides of the smaller pictures that are kept beside it.
   */
  image: { bytes: 2 * 1024 * 1024, side: 4096, storedSide: 1024, sizes: [96, 256] },
  /** Characters of a link, and its allowed hosts; a website may have any host. */
  link: {
    max: 255,
    twitterHosts: ["x.com", "twitter.com"],
    telegramHosts: ["t.me", "telegram.me"],
  },
  /** Characters of a base58 address: 32 bytes never take more. */
  wallet: { max: 44 },
  /** Tokens that a wallet has been given, and has neither accepted nor declined. */
  waitingTokens: { max: 100 },
  /** Characters of a base58 Ed25519 signature: 64 bytes never take more. */
  signature: { max: 88 },
  /** Characters of a nonce and, as a maximum, of its host. */
  nonce: { min: 22, max: 200, host: 127 },
  /** Maximum bytes of a Solana transaction, and their length in base64. */
  transaction: { bytes: 1232, base64: 1644 },
  /** The same of version 1. */
  transactionOfVersion1: { bytes: 4096, base64: 5464 },
  /** Tokens that one claim can name; fewer fit into a transaction. */
  claimedTokens: { max: 20 },
  /** Wallets that one claim can pay. */
  claimReceivers: { max: 5 },
  /** Characters of an invite's code; spaces and hyphens count. */
  inviteCode: { min: 1, max: 64 },
  /** Bytes of a request body; a larger one is answered with 413. */
  bodyBytes: 64 * 1024,
  /** Tokens whose markets one request can read. */
  markets: { tokens: 50 },
  /** Items of one page of a list. */
  page: { min: 1, max: 1000 },
  /** Characters of a webhook's URL, and how many tests and replays may wait at one webhook. */
  webhook: { url: 1024, waiting: 20 },
  /** Events in one answer, and the default. */
  events: { min: 1, max: 1000, byDefault: 100 },
  /** Seconds that a request may wait for an event, or for the end of a launch. */
  eventWait: { min: 0, max: 55 },
  /** The highest fee threshold, in claimable SOL; the lowest is more than 0. */
  feeThresholdSOL: { max: 1_000_000 },
  /** SOL of a launch's first buy: more than 0. */
  firstBuySOL: { max: 100_000 },
  /** SOL that one airdrop or trade of a sandbox may move: more than 0. */
  devSOL: { max: 100_000 },
} as const;

/** A nonce can be used for this long after the challenge, in milliseconds. */
export const NONCE_LIFETIME_MS = 5 * 60_000;

/** A bearer token is valid for this long after sign-in, in seconds. */
export const TOKEN_LIFETIME_SECONDS = 15 * 60;

/** Maximum silence of an event stream, in milliseconds: less than the idle timeouts of servers and proxies. */
export const STREAM_HEARTBEAT_MS = 15_000;

/** After a rotation, a webhook's old secrets also sign for this long, in milliseconds. */
export const OLD_SECRET_LIFETIME_MS = 24 * 60 * 60_000;

export const LAMPORTS_PER_SOL = 1_000_000_000n;

export const TOKEN_DECIMALS = 6;
