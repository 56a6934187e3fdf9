/**
 * An agent's whole life: launch a token, watch its fees, and claim them when they are worth it.
 *
 *     bun examples/launch-and-claim.ts
 *
 * TOKENCTL_API_URL     the server (default http://127.0.0.1:8787)
 * TOKENCTL_KEYPAIR     a keypair file of the Solana tools (default on a sandbox: a new wallet, not kept)
 * CLAIM_AT_SOL         claim when this much can be claimed (default 0.01)
 *
 * On a real cluster the wallet needs a little SOL for the claim's network fee. On a sandbox server the
 * example gives it some and buys the token, so that there are fees.
 */
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ConflictError,
  generateSecretKey,
  keypairSigner,
  NotFoundError,
  TokenctlClient,
  TokenctlError,
} from "@tokenctl/sdk";

const { TOKENCTL_API_URL, TOKENCTL_KEYPAIR, CLAIM_AT_SOL = "0.01" } = process.env;
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());

const client = new TokenctlClient({
  apiUrl: TOKENCTL_API_URL,
  signer: keypairSigner(
    TOKENCTL_KEYPAIR ? await readFile(TOKENCTL_KEYPAIR, "utf8") : generateSecretKey(),
  ),
  onRetry: ({ error, delayMs }) =>
    console.log(`${error.message}; trying again in ${Math.round(delayMs)} ms`),
});

try {
  const { network } = await client.health({ signal: stop.signal });
  if (TOKENCTL_KEYPAIR || network === "sandbox") await live(stop.signal);
  else {
    console.error(
      "Set TOKENCTL_KEYPAIR: this is no sandbox, and a wallet that is not kept loses its fees",
    );
    process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof TokenctlError)) throw error;
  console.error(`${error.message}${error.hint ? `\n${error.hint}` : ""}`);
  process.exitCode = error.code === "aborted" ? 130 : 1;
}

async function live(signal: AbortSignal): Promise<void> {
  console.log(`I am ${client.address}`);

  const ticker = await launch(signal);
  const { tokens } = await client.tokens({ signal });
  const token = tokens.find((candidate) => candidate.ticker === ticker);
  if (!token) return;
  console.log(`${token.ticker} trades: mint ${token.tokenMint}, pool ${token.poolAddress}`);

  for (let claimed = false; !claimed; ) {
    await tradeOnSandbox(token.tokenMint, signal);
    const { claims } = await client.claims({ signal });
    const fees = claims.find(({ tokenMint }) => tokenMint === token.tokenMint);
    const claimable = fees?.claimableSOL ?? 0;
    console.log(`Claimable: ${claimable} SOL`);
    if (claimable >= Number(CLAIM_AT_SOL)) {
      const receipt = await client.claim(token.tokenMint, { signal });
      console.log(`Claimed ${receipt.claimedSOL} SOL: ${receipt.transactionHash}`);
      claimed = true;
    } else {
      await sleep(1_000, undefined, { signal });
    }
  }
}

/** @returns the ticker that was free */
async function launch(signal: AbortSignal): Promise<string> {
  for (;;) {
    const ticker = `AG${Math.random().toString(36).slice(2, 8).toUpperCase()}`;
    try {
      const { eventId } = await client.launch({ name: `Agent ${ticker}`, ticker }, { signal });
      const onStatus = ({ status }: { status: string }) => console.log(`Launch: ${status}`);
      const end = await client.waitForLaunch(eventId, { signal, onStatus });
      if (end.status === "success") return ticker;
      throw new Error(`The launch ended ${end.status}: ${end.error ?? "no reason given"}`);
    } catch (error) {
      const isTaken = error instanceof ConflictError && error.code === "ticker_taken";
      if (!isTaken) throw error;
    }
  }
}

/** On a sandbox, gives the wallet SOL for network fees and buys the token. */
async function tradeOnSandbox(tokenMint: string, signal: AbortSignal): Promise<void> {
  try {
    await client.dev.airdrop({ sol: 0.01 }, { signal });
    await client.dev.trade({ tokenMint, side: "buy", sol: 0.5 }, { signal });
  } catch (error) {
    // Not a sandbox: others trade there, and the wallet has its own SOL.
    if (!(error instanceof NotFoundError)) throw error;
  }
}
