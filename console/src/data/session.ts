import {
  formatSecretKey,
  fromWalletStandard,
  generateSecretKey,
  keypairSigner,
  type Signer,
  TokenctlClient,
} from "@tokenctl/sdk";
import type { Wallet } from "@wallet-standard/base";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Network } from "./network.ts";

/** A wallet that is connected, and the client that acts for it. The client keeps the bearer token. */
export interface Session {
  readonly client: TokenctlClient;
  readonly address: string;
  /** The wallet's name, as people know it. */
  readonly walletName: string;
  readonly network: Network;
  /** Whether the server is a sandbox, where SOL is free. */
  readonly isSandbox: boolean;
}

/** Where the browser keeps the sandbox's wallet. Its SOL is worth nothing. */
const BURNER_KEY = "tokend.sandbox-wallet";

const CHAINS = {
  "mainnet-beta": "solana:mainnet",
  devnet: "solana:devnet",
  testnet: "solana:testnet",
} as const;

/** Connects a wallet of the Wallet Standard: asks it for its accounts and takes the first. */
export async function connectWallet(wallet: Wallet, network: Network): Promise<Session> {
  const feature = wallet.features["standard:connect"] as
    | { connect(): Promise<{ accounts: Wallet["accounts"] }> }
    | undefined;
  const accounts = feature ? (await feature.connect()).accounts : wallet.accounts;
  const chain = network in CHAINS ? CHAINS[network as keyof typeof CHAINS] : undefined;
  const signer = fromWalletStandard(wallet, accounts[0], chain);
  return signIn(signer, wallet.name, network);
}

/** Connects the sandbox's wallet of this browser, which is made at its first use. */
export async function connectBurner(network: Network): Promise<Session> {
  const secretKey = localStorage.getItem(BURNER_KEY) ?? formatSecretKey(generateSecretKey());
  localStorage.setItem(BURNER_KEY, secretKey);
  return signIn(keypairSigner(secretKey), "Sandbox wallet", network);
}

/** Connects a sandbox's wallet by its secret key, for this page only. */
export function connectSandboxKey(secretKey: string, network: Network): Promise<Session> {
  return signIn(keypairSigner(secretKey), "Demo wallet", network);
}

/** @returns whether this browser has a sandbox's wallet */
export const hasBurner = () => localStorage.getItem(BURNER_KEY) !== null;

async function signIn(signer: Signer, walletName: string, network: Network): Promise<Session> {
  const isSandbox = network === "sandbox";
  const client = new TokenctlClient({
    apiUrl: location.origin,
    signer,
    allowSandboxClaims: isSandbox,
  });
  await client.login();
  return { client, address: client.address, walletName, network, isSandbox };
}

export const SessionContext = createContext<Session | null>(null);

/** The session of the screens, which are shown only while there is one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("a screen is shown without a session");
  return session;
}
