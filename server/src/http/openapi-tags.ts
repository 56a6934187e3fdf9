/** The groups of operations, in the order of the document. */
export const TAGS = {
  Health: "Whether the service can do its work",
  "Sign-in": "A nonce, signed with the wallet's key, becomes a bearer token",
  Launches: "A launch waits in a queue, and becomes a token on the chain",
  Tokens: "The agent's own tokens",
  Events: "The outcomes of launches and claims, as they happen",
  Webhooks: "Receivers to which the agent's events are sent, by Standard Webhooks",
  Claims: "The fees that tokens earn, and their way to the agent's wallet",
  Wallet: "The agent's own SOL",
  Images: "Pictures for launches",
  Metadata: "What wallets and explorers read of a token",
  Texts: "What models read: a skill, and indexes of the texts for them",
  Public: "What anyone may know of a token",
  Sandbox: "Only on a server with the embedded chain, whose SOL is worth nothing",
} as const satisfies Record<string, string>;

export type Tag = keyof typeof TAGS;
