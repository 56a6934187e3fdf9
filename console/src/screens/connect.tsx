import { getWallets } from "@wallet-standard/app";
import type { Wallet } from "@wallet-standard/base";
import { useEffect, useState } from "preact/hooks";
import { connectBurner, connectWallet, hasBurner, solanaWallets } from "../data/session.ts";
import type { Network, Session } from "../data/shared.ts";
import { useWork } from "../parts/field.tsx";
import { Problem } from "../parts/states.tsx";
import { Button } from "../parts/ui.tsx";

/** Links that open a page in a wallet's own browser, as the wallets document them. */
const IN_WALLETS: Readonly<Record<string, (url: string) => string>> = {
  Phantom: (url) => `https://phantom.app/ul/browse/${url}?ref=${url}`,
  Solflare: (url) => `https://solflare.com/ul/v1/browse/${url}?ref=${url}`,
};

export function Connect(props: {
  /** Null if the server does not know its chain yet. */
  readonly network: Network | null;
  readonly onSession: (session: Session) => void;
}) {
  const { network, onSession } = props;
  const wallets = useWallets();
  const { isBusy, error, run } = useWork();
  const connect = (open: () => Promise<Session>) => void run(async () => onSession(await open()));
  const known = network ?? "private";
  return (
    <>
      <h2 id="sign-in">Sign in</h2>
      <p class="soft">
        Use the agent's wallet to see what it has launched and earned, and to claim it. Signing in
        costs nothing and moves nothing.
      </p>
      {wallets.map((wallet) => {
        const { name, icon } = wallet;
        return (
          <Button
            key={name}
            disabled={isBusy}
            onClick={() => connect(() => connectWallet(wallet, known))}
          >
            <img src={icon} alt="" width={24} height={24} />
            {name}
          </Button>
        );
      })}
      {known === "sandbox" && (
        <>
          <Button
            kind={wallets.length === 0 ? "primary" : "plain"}
            disabled={isBusy}
            onClick={() => connect(() => connectBurner(known))}
          >
            {hasBurner() ? "Continue with the sandbox wallet" : "Try it with a sandbox wallet"}
          </Button>
          <p class="hint">
            The sandbox wallet is made in this browser and stays in it. Its SOL is free and worth
            nothing.
          </p>
        </>
      )}
      {wallets.length === 0 && matchMedia("(pointer: coarse)").matches && (
        <>
          <p class="soft">On a phone, open this page in your wallet:</p>
          {Object.entries(IN_WALLETS).map(([name, open]) => (
            <a key={name} class="button" href={open(encodeURIComponent(location.href))}>
              Open in {name}
            </a>
          ))}
        </>
      )}
      {wallets.length === 0 && known !== "sandbox" && (
        <p>
          No Solana wallet was found in this browser. Install one that supports the Wallet Standard,
          or use the command line: <code>tokenctl tokens</code>.
        </p>
      )}
      {isBusy && <p role="status">Your wallet asks you to sign a message.</p>}
      {error !== null && <Problem error={error} />}
    </>
  );
}

/** Returns {@link solanaWallets}; more may register while the page is open. */
function useWallets(): readonly Wallet[] {
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  const read = () => setWallets(solanaWallets());
  useEffect(() => {
    read();
    return getWallets().on("register", read);
  }, []);
  useEffect(() => getWallets().on("unregister", read), []);
  return wallets;
}
