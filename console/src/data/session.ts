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
import { API_URL } from "./page.ts";
import {
  currentSession,
  hasEnded,
  KEPT_SESSION,
  type Network,
  otherAccount,
  type Session,
  SessionEnded,
  store,
  stored,
  useShared,
} from "./shared.ts";

/** The browser's key for the sandbox wallet. Its SOL has no value. */
const BURNER_KEY = "tokend.sandbox-wallet";
const BURNER_NAME = "Sandbox wallet";

/** Maximum milliseconds before an automatic retry; the person decides about longer waits. */
const MAX_DELAY_MS = 2_000;

const CHAINS = {
  "mainnet-beta": "solana:mainnet",
  devnet: "solana:devnet",
  testnet: "solana:testnet",
} as const;

export async function connectWallet(wallet: Wallet, network: Network): Promise<Session> {
  return signedIn(await walletSigner(wallet, network), wallet.name, network);
}

/** Connects this browser's sandbox wallet, and creates it at its first use. */
export function connectBurner(network: Network): Promise<Session> {
  const secretKey = stored(BURNER_KEY) ?? formatSecretKey(generateSecretKey());
  store(BURNER_KEY, secretKey);
  return signedIn(sandboxSigner(secretKey), BURNER_NAME, network);
}

const reader = new TokenctlClient({ apiUrl: API_URL });

/** Signs only what can land on no chain but a sandbox, whatever the server calls its chain. */
function sandboxSigner(secretKey: string): Signer {
  const signer = keypairSigner(secretKey);
  return {
    publicKey: signer.publicKey,
    signMessage: (message) => signer.signMessage(message),
    async signTransaction(transaction) {
      const text = btoa(String.fromCharCode(...transaction));
      if (!(await reader.hasValue(text))) return signer.signTransaction(transaction);
      throw new Error(
        "This transaction can land where SOL has a value, so the sandbox's wallet does not sign it",
      );
    },
  };
}

export const hasBurner = () => stored(BURNER_KEY) !== null;

/** Returns the session of a text that was stored; null if it is none. */
export function restoreSession(network: Network, text = stored(KEPT_SESSION)): Session | null {
  try {
    const { token, walletName } = JSON.parse(text ?? "") as { token: string; walletName: string };
    const { sub: address } = JSON.parse(atob(token.split(".")[1] ?? "")) as { sub: string };
    const signer = () => reconnect(walletName, address, network);
    return open({ walletName, network, address, signer, token });
  } catch {
    return null;
  }
}

export function signOut(): void {
  store(KEPT_SESSION, null);
  hasEnded.set(false);
  otherAccount.set(null);
  currentSession.set(null);
}

/** Features without which a wallet can neither sign in nor claim. */
const NEEDED = ["solana:signMessage", "solana:signTransaction"] as const;

const canSign = ({ chains, features }: Wallet) =>
  chains.some((chain) => chain.startsWith("solana:")) &&
  NEEDED.every((feature) => feature in features);

/** Wallets of other chains may have the same names. */
export const solanaWallets = () => getWallets().get().filter(canSign);

const walletNamed = (name: string) => solanaWallets().find((wallet) => wallet.name === name);

/** Watches for another account in the session's wallet, and a sign-out in another tab. Returns its end. */
export function followAccount({ walletName, address, network }: Session): () => void {
  const events = walletNamed(walletName)?.features["standard:events"] as
    | { on(event: "change", listener: (changed: Partial<Wallet>) => void): () => void }
    | undefined;
  const end = events?.on("change", ({ accounts }) => {
    const isThere = accounts?.some((account) => account.address === address) !== false;
    otherAccount.set(isThere ? null : (accounts?.[0]?.address ?? null));
  });
  const leave = ({ key, oldValue, newValue }: StorageEvent) => {
    const isOut = key === KEPT_SESSION && newValue === null;
    if (isOut && restoreSession(network, oldValue)?.address === address) signOut();
  };
  addEventListener("storage", leave);
  return () => {
    end?.();
    removeEventListener("storage", leave);
  };
}

async function signedIn(signer: Signer, walletName: string, network: Network): Promise<Session> {
  const address = signer.publicKey;
  const session = open({ walletName, network, address, signer: async () => signer });
  await session.signIn();
  return session;
}

interface Opened extends Pick<Session, "walletName" | "network" | "address"> {
  readonly signer: () => Promise<Signer>;
  readonly token?: string;
}

function open({ signer, token, ...of }: Opened): Session {
  const { walletName, network, address } = of;
  let isClicked = false;
  const isSandbox = network === "sandbox";
  const client = new TokenctlClient({
    apiUrl: API_URL,
    token,
    onRetry({ error, delayMs }) {
      if (delayMs > MAX_DELAY_MS) throw error;
    },
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
      store(KEPT_SESSION, JSON.stringify({ token: login.token, walletName }));
      hasEnded.set(false);
    } finally {
      isClicked = false;
    }
  };
  return { ...of, client, isSandbox, signIn };
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

/** Connects the wallet of a restored session when it has to sign. */
async function reconnect(name: string, address: string, network: Network): Promise<Signer> {
  const burner = stored(BURNER_KEY);
  if (name === BURNER_NAME && burner !== null) return sandboxSigner(burner);
  const wallet = walletNamed(name);
  if (wallet) return walletSigner(wallet, network, address);
  throw new Error(`${name} is not in this browser any more. Sign out, and sign in again`);
}

/** Returns the session. Only screens that are shown with a session call it. */
export function useSession(): Session {
  const session = useShared(currentSession);
  if (!session) throw new Error("a screen is shown without a session");
  return session;
}
