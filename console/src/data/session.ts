import {
  formatSecretKey,
  fromWalletStandard,
  generateSecretKey,
  keypairSigner,
  type Signer,
  TokenctlClient,
} from "@tokenctl/sdk";
import { getWallets } from "@wallet-standard/app";
import type { Wallet } from "@wallet-standard/base";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { anyone, giveUpEarly, type Network } from "./network.ts";
import { Shared } from "./shared.ts";

/** A wallet that has signed in, and the client that acts for it. */
export interface Session {
  readonly client: TokenctlClient;
  readonly address: string;
  /** The wallet's name, as people know it. */
  readonly walletName: string;
  readonly network: Network;
  /** Whether the server is a sandbox, where SOL is free. */
  readonly isSandbox: boolean;
  /** Asks the wallet to sign in. Call it on a click only. */
  readonly signIn: () => Promise<void>;
}

/** A call needs a new sign-in, which only a click may begin. */
export class SessionEnded extends Error {
  override readonly name = "SessionEnded";

  constructor() {
    super("Your session has ended. Sign in to go on");
  }
}

/** Whether the server has refused the access token. */
export const hasEnded = new Shared(false);

/** Where the tab keeps the access token and the name of its wallet; a key never. */
const TOKEN = "tokend.session";
/** Where the browser keeps the sandbox's wallet. Its SOL is worth nothing. */
const BURNER_KEY = "tokend.sandbox-wallet";
const BURNER_NAME = "Sandbox wallet";

const CHAINS = {
  "mainnet-beta": "solana:mainnet",
  devnet: "solana:devnet",
  testnet: "solana:testnet",
} as const;

/** Connects a wallet of the Wallet Standard: asks it for its accounts and takes the first. */
export async function connectWallet(wallet: Wallet, network: Network): Promise<Session> {
  return signedIn(await walletSigner(wallet, network), wallet.name, network);
}

/** Connects the sandbox's wallet of this browser, which is made at its first use. */
export function connectBurner(network: Network): Promise<Session> {
  const secretKey = localStorage.getItem(BURNER_KEY) ?? formatSecretKey(generateSecretKey());
  localStorage.setItem(BURNER_KEY, secretKey);
  return signedIn(sandboxSigner(secretKey), BURNER_NAME, network);
}

/** A key in the page signs only what can land on a sandbox alone, whatever the server calls its chain. */
function sandboxSigner(secretKey: string): Signer {
  const signer = keypairSigner(secretKey);
  return {
    ...signer,
    async signTransaction(transaction) {
      const text = btoa(String.fromCharCode(...transaction));
      if (!(await anyone.hasValue(text))) return signer.signTransaction(transaction);
      throw new Error(
        "This transaction can land where SOL has a value, so the sandbox's wallet does not sign it",
      );
    },
  };
}

/** Connects a sandbox's wallet by its secret key, for this page only. */
export function connectSandboxKey(secretKey: string, network: Network): Promise<Session> {
  return signedIn(sandboxSigner(secretKey), "Demo wallet", network);
}

/** @returns whether this browser has a sandbox's wallet */
export const hasBurner = () => localStorage.getItem(BURNER_KEY) !== null;

/** @returns the session that this tab had before it was loaded again; null if there was none */
export function restoreSession(network: Network): Session | null {
  try {
    const kept = JSON.parse(sessionStorage.getItem(TOKEN) ?? "");
    const { token, walletName } = kept as { token: string; walletName: string };
    const { sub: address } = JSON.parse(atob(token.split(".")[1] ?? "")) as { sub: string };
    const signer = () => reconnect(walletName, address, network);
    return open({ walletName, network, address, signer, token });
  } catch {
    return null;
  }
}

export function signOut(): void {
  sessionStorage.removeItem(TOKEN);
  hasEnded.set(false);
}

async function signedIn(signer: Signer, walletName: string, network: Network): Promise<Session> {
  const address = signer.publicKey;
  const session = open({ walletName, network, address, signer: async () => signer });
  await session.signIn();
  return session;
}

function open({
  walletName,
  network,
  address,
  signer,
  token,
}: {
  readonly walletName: string;
  readonly network: Network;
  readonly address: string;
  readonly signer: () => Promise<Signer>;
  readonly token?: string;
}): Session {
  let isClicked = false;
  const isSandbox = network === "sandbox";
  const client = new TokenctlClient({
    apiUrl: location.origin,
    token,
    onRetry: giveUpEarly,
    signer: {
      publicKey: address,
      async signMessage(message) {
        if (isClicked) return (await signer()).signMessage(message);
        hasEnded.set(true);
        throw new SessionEnded();
      },
      signTransaction: async (...asked) => (await signer()).signTransaction(...asked),
    },
  });
  const signIn = async () => {
    isClicked = true;
    try {
      const login = await client.login();
      sessionStorage.setItem(TOKEN, JSON.stringify({ token: login.token, walletName }));
      hasEnded.set(false);
    } finally {
      isClicked = false;
    }
  };
  return { client, address, walletName, network, isSandbox, signIn };
}

async function walletSigner(wallet: Wallet, network: Network, address?: string): Promise<Signer> {
  const feature = wallet.features["standard:connect"] as
    | { connect(): Promise<{ accounts: Wallet["accounts"] }> }
    | undefined;
  const accounts = feature ? (await feature.connect()).accounts : wallet.accounts;
  const account = address ? accounts.find((each) => each.address === address) : accounts[0];
  if (address !== undefined && account === undefined) {
    throw new Error(`${wallet.name} does not show the account of this session`);
  }
  const chain = network in CHAINS ? CHAINS[network as keyof typeof CHAINS] : undefined;
  return fromWalletStandard(wallet, account, chain);
}

/** Connects the wallet of a session that was restored, once it has to sign. */
async function reconnect(name: string, address: string, network: Network): Promise<Signer> {
  const burner = localStorage.getItem(BURNER_KEY);
  if (name === BURNER_NAME && burner !== null) return sandboxSigner(burner);
  const wallet = getWallets()
    .get()
    .find((each) => each.name === name);
  if (wallet) return walletSigner(wallet, network, address);
  throw new Error(`${name} is not in this browser any more. Sign out, and sign in again`);
}

export const SessionContext = createContext<Session | null>(null);

/** The session of the screens, which are shown only while there is one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("a screen is shown without a session");
  return session;
}
